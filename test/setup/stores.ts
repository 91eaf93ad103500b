/** The stores that a suite runs on in the project at hand; the rest of them has its turn in another. */

/** With which a project that starts PostgreSQL tells its workers so. */
export const SERVERS_VARIABLE = 'TEST_SERVERS';

/** Whether the project at hand has a PostgreSQL. */
export const hasServers: boolean = process.env[SERVERS_VARIABLE] !== undefined;

/** Cases on memory and files in a project without servers, cases on PostgreSQL in one with them. */
export function casesOfProject<Case>(cases: {
  readonly embedded: readonly Case[];
  readonly postgres: readonly Case[];
}): readonly Case[] {
  return hasServers ? cases.postgres : cases.embedded;
}
