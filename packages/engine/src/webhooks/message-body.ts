/** The body of a message as it is sent. */
import type { StreamName } from '@counterfoil/core';
import type { CommandRunner } from '../command-runner.ts';
import type { Delivery } from './delivery-store.ts';
import { dataOf } from './messages.ts';

/** `{id, type, timestamp, data}` */
export async function messageOf(
  commands: CommandRunner,
  { messageId: id, type, createdAt: timestamp, subject, revision, data }: Delivery,
): Promise<object> {
  const said =
    revision === null
      ? JSON.parse(data ?? '{}')
      : await dataOf(commands, { stream: subject as StreamName, revision });
  return { id, type, timestamp, data: said };
}

export async function bodyOf(commands: CommandRunner, delivery: Delivery): Promise<Buffer> {
  return Buffer.from(JSON.stringify(await messageOf(commands, delivery)));
}
