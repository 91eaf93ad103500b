/** The parameters and the result of the log's function `append`. */
import type { AppendRequest } from '@counterfoil/core';
import { APPENDED, expectationCode, type Reply } from '../append-request.ts';
import { int4Array, int8Array, textArray } from './binary-arrays.ts';
import { positionOf } from './positions.ts';

const MAX_INT4 = 2 ** 31 - 1;

/** Parameters of the function `append`, with the types that it does not infer. */
export const APPEND_PARAMETERS = [
  '$1::text[], $2::int[], $3::int[], $4::text[], $5::text[], $6::int[], $7::int[], $8::text[]',
  '$9::text[], $10::int[], $11::bigint[], $12::text[], $13::text[], $14::text[], $15::int[]',
].join(', ');

/** One row: a column for each output of the function, arrays with a value for each command. */
export type BatchRow = readonly [
  written: string | null,
  outcomes: readonly number[],
  revisions: readonly number[],
  ordinals: readonly number[],
  earlier: readonly string[],
];

/** The values of `APPEND_PARAMETERS` for checked requests, in groups that are appended as one. */
export function pack(groups: readonly (readonly AppendRequest[])[]): readonly Buffer[] {
  const requests = groups.flat();
  const together = groups.flatMap((group) =>
    group.map((_, index) => (index === 0 ? group.length : 1)),
  );
  const streams = new Map<string, number>();
  const commandStreams: number[] = [];
  const expectations: number[] = [];
  const eventCommands: number[] = [];
  for (const [index, { stream, expected, events }] of requests.entries()) {
    const place = streams.get(stream) ?? streams.size + 1;
    streams.set(stream, place);
    commandStreams.push(place);
    expectations.push(Math.min(MAX_INT4, expectationCode(expected)));
    for (let event = 0; event < events.length; event += 1) eventCommands.push(index + 1);
  }
  const events = requests.flatMap((request) => request.events);
  return [
    textArray([...streams.keys()]),
    int4Array(commandStreams),
    int4Array(expectations),
    textArray(requests.map(({ command }) => command.id)),
    textArray(requests.map(({ command }) => command.fingerprint)),
    int4Array(requests.map((request) => request.events.length)),
    int4Array(eventCommands),
    textArray(events.map(({ id }) => id)),
    textArray(events.map(({ type }) => type)),
    int4Array(events.map(({ schemaVersion }) => schemaVersion)),
    int8Array(events.map(({ tenantId }) => tenantId)),
    textArray(events.map(({ time }) => time)),
    textArray(events.map(({ data }) => data)),
    textArray(events.map(({ metadata }) => metadata)),
    int4Array(together),
  ];
}

/** The answer to the command at an index of the batch. */
export function replyAt(row: BatchRow, index: number): Reply {
  const [written, outcomes, revisions, ordinals, earlier] = row;
  const outcome = outcomes[index];
  const position = () =>
    positionOf((outcome === APPENDED ? written : earlier[index]) ?? '', ordinals[index] ?? 0);
  return { outcome, revision: revisions[index] ?? -1, position };
}
