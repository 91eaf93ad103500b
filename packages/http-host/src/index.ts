/** The public interface of `@counterfoil/http-host`: a host to run inside another program. */

export { REFUSALS } from './api/refusals.ts';
export { type RunHostOptions, runHost } from './cli/run-host.ts';
export { type ComposeOptions, compose, type Host } from './composition-root.ts';
export { type Config, readConfig } from './config.ts';
export { consoleRoutes } from './routes.ts';
