/** Shared by the HTTP stages: the host, its peers and the load, each in a separate process. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { Measure, Setting } from '../harness/stage.ts';
import { HostUnderLoad, LOG_LEVEL } from '../load/host.ts';
import type { HostData } from '../load/host-data.ts';
import type { Job } from '../load/job.ts';
import { Load } from '../load/load.ts';
import { CONNECTIONS, jobOf } from '../load/paths.ts';
import { ServerProcess } from '../load/server-process.ts';

const RAW_HTTP = fileURLToPath(new URL('../peers/raw-http.ts', import.meta.url));
const FASTIFY_SQLITE = fileURLToPath(new URL('../peers/fastify-sqlite.ts', import.meta.url));

const SQLITE_LEADS = fileURLToPath(new URL('../peers/sqlite-leads.ts', import.meta.url));

const FULL_MS = 5_000;
const QUICK_MS = 1_000;

const FIRST_REFUSAL = 300;

/** Headers that node adds to a response. */
const OF_NODE = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

type Path = Pick<Job, 'path' | 'status' | 'requests' | 'answer'> & Partial<Pick<Job, 'headers'>>;

/** The processes of one stage; `close` stops them. */
export class HttpServers {
  readonly #setting: Setting;
  readonly #load = new Load();
  readonly #peers: ServerProcess[] = [];
  readonly data: HostData;
  readonly host: HostUnderLoad;

  private constructor(setting: Setting, data: HostData, host: HostUnderLoad) {
    this.#setting = setting;
    this.data = data;
    this.host = host;
  }

  static async start(setting: Setting, data: HostData): Promise<HttpServers> {
    setting.say('starting the host, which builds its read models');
    return new HttpServers(setting, data, await HostUnderLoad.start(data));
  }

  /** Records one response of the host, and serves it from a bare `node:http`. */
  async rawHttp(path: string, body: string, more: Record<string, string> = {}) {
    const { status, headers, text } = await this.host.post(path, body, more);
    if (status >= FIRST_REFUSAL) throw new Error(`${path} answered ${status}: ${text}`);
    const kept = [...headers].filter(([name]) => !OF_NODE.has(name)).flat();
    const file = join(this.#setting.folder, 'answer.json');
    writeFileSync(file, JSON.stringify({ status, headers: kept, body: text }));
    return { server: await this.#peer([RAW_HTTP, file]), answer: text, file };
  }

  /** Keeps leads, and answers with the fields of a recorded answer. */
  async sqliteLeads(database: string, recorded: string): Promise<ServerProcess> {
    return this.#peer([SQLITE_LEADS, database, this.data.leadKey, recorded]);
  }

  async fastify(database: string, template = ''): Promise<ServerProcess> {
    return this.#peer([FASTIFY_SQLITE, database, this.data.apiKey, template]);
  }

  async #peer(args: readonly string[]): Promise<ServerProcess> {
    const server = await ServerProcess.start({ args });
    this.#peers.push(server);
    return server;
  }

  /** Correct responses per second; the path is evaluated per round. */
  measure({ port }: { readonly port: number }, pathNow: () => Path): Measure {
    const durationMs = this.#setting.quick ? QUICK_MS : FULL_MS;
    return async () => {
      const job = jobOf(pathNow(), this.host, { port, durationMs });
      const { answered, seconds } = await this.#load.run(job);
      return answered / seconds;
    };
  }

  /** Loads the host until so many requests were sent; resolves with how many were. */
  async sendAtLeast(count: number, pathAfter: (sent: number) => Path): Promise<number> {
    let sent = 0;
    while (sent < count) {
      const to = { port: this.host.port, durationMs: QUICK_MS };
      sent += (await this.#load.run(jobOf(pathAfter(sent), this.host, to))).sent;
    }
    return sent;
  }

  /** The peer must return the host's response; otherwise the ratio is meaningless. */
  async compare({ port }: ServerProcess, path: string, bodies: readonly string[]): Promise<void> {
    for (const body of bodies) {
      const own = await this.host.post(path, body);
      const peer = await this.host.post(path, body, {}, port);
      if (isDeepStrictEqual(JSON.parse(own.text), JSON.parse(peer.text))) continue;
      throw new Error(`${path} ${body}: the answers differ:\n${own.text}\n${peer.text}`);
    }
  }

  async close(): Promise<void> {
    await this.#load.close();
    for (const server of this.#peers) await server.stop();
    await this.host.stop();
  }
}

/** The conditions of every HTTP row. */
export function httpFacts(): Record<string, string> {
  const { version } = createRequire(import.meta.url)('fastify/package.json') as { version: string };
  return {
    connections: `${CONNECTIONS}, keep-alive`,
    host: `counterfoil start --production, LOG_LEVEL=${LOG_LEVEL}`,
    fastify: version,
  };
}
