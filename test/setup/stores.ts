/** The stores on which a suite runs in the current project; other projects run the rest. */

/** Set for the workers of a project with PostgreSQL. */
export const SERVERS_VARIABLE = 'TEST_SERVERS';

/** Whether the current project has a PostgreSQL. */
export const hasServers: boolean = process.env[SERVERS_VARIABLE] !== undefined;

/** Cases on memory and files in a project without servers, on PostgreSQL in one with them. */
export function casesOfProject<Case>(cases: {
  readonly embedded: readonly Case[];
  readonly postgres: readonly Case[];
}): readonly Case[] {
  return hasServers ? cases.postgres : cases.embedded;
}
