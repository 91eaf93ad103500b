/** Reads the whole log twice: by position for its order, by stream for its contents. */

import type { Position } from '@counterfoil/core';
import { counted } from '../counted.ts';
import type { Examining } from './examined.ts';
import { type Checked, Findings, reasonOf } from './finding.ts';
import type { LogWalks } from './log-walks.ts';
import { StreamChecker } from './streams.ts';

/** Commands are stamped before they are written, so neighbours may differ by a little. */
const TOLERATED_STEP_MS = 10_000;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const CLOCK_ADVICE =
  'Nothing in the log is to be changed: its order is that of positions. Set up time synchronisation, and know that refund windows, expiries and due dates of these events follow the wrong clock.';

/** Positions that rise, without holes where the log has none, and times that go forward. */
export async function checkOrder(
  log: LogWalks,
  { now, onProgress, advice }: Examining,
): Promise<Checked> {
  const findings = new Findings('order');
  let events = 0;
  let latestMs = Number.NEGATIVE_INFINITY;
  let isBehind = false;
  let before: Position | undefined;
  try {
    for await (const page of log.inOrder()) {
      for (const { position, time, missingBefore } of page) {
        events += 1;
        if (before !== undefined && position <= before) {
          findings.damage(`position ${position} comes after ${before}`, advice.log);
        }
        before = position;
        if (missingBefore > 0) {
          findings.damage(
            `${missingBefore} positions before ${position} are missing: events are lost`,
            advice.log,
          );
        }
        const ms = INSTANT.test(time) ? Date.parse(time) : Number.NaN;
        if (Number.isNaN(ms)) {
          findings.damage(`the event at position ${position} has no time: ${time}`, advice.log);
          continue;
        }
        const wasBehind = isBehind;
        isBehind = ms < latestMs - TOLERATED_STEP_MS;
        if (isBehind && !wasBehind) {
          findings.warn(
            `at position ${position} the clock went back from ${new Date(latestMs).toISOString()} to ${time}`,
            CLOCK_ADVICE,
          );
        }
        latestMs = Math.max(latestMs, ms);
      }
      onProgress('Order of the log', events, log.events);
    }
  } catch (error) {
    findings.damage(`the log can be read no further: ${reasonOf(error)}`, advice.log);
    return findings.leftOut(`broke off after ${counted(events, 'event')}`);
  }
  if (latestMs > now() + TOLERATED_STEP_MS) {
    findings.warn(
      `the log has events of ${new Date(latestMs).toISOString()}, which is yet to come`,
      CLOCK_ADVICE,
    );
  }
  return findings.made(counted(events, 'event'));
}

/** Every stream with its events, and the journal that follows from them. */
export async function checkStreams(
  log: LogWalks,
  { onProgress, ...examining }: Examining,
): Promise<readonly [streams: Checked, journal: Checked]> {
  const { advice } = examining;
  const findings = new Findings('streams');
  const journalFindings = new Findings('journal');
  const checker = new StreamChecker({ ...examining, findings, journalFindings });
  let events = 0;
  try {
    for await (const page of log.byStream()) {
      await checker.take(page);
      events += page.length;
      onProgress('Events and streams', events, log.events);
    }
  } catch (error) {
    findings.damage(`the streams can be read no further: ${reasonOf(error)}`, advice.log);
    const skipped = `broke off after ${counted(events, 'event')}`;
    return [findings.leftOut(skipped), journalFindings.leftOut(skipped)];
  }
  await checker.end();
  if (events < log.events) {
    findings.damage(
      `the index of streams leads to ${events} of ${log.events} events: some streams look shorter than they are`,
      advice.log,
    );
  }
  const sealed = checker.unopened > 0 ? `, of which ${checker.unopened} stayed sealed` : '';
  return [
    findings.made(`${counted(events, 'event')} in ${counted(checker.streams, 'stream')}${sealed}`),
    journalFindings.made(counted(checker.entries, 'entry', 'entries')),
  ];
}
