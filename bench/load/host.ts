/** The host under load: `counterfoil start`, as in production, on a data folder of the bench. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type HostData, PASSWORD, TENANT_ID, USER_EMAIL } from './host-data.ts';
import { ServerProcess } from './server-process.ts';

const CLI = fileURLToPath(new URL('../../packages/http-host/src/cli/main.ts', import.meta.url));

/** Stated in the results: request logging is off, as with the peers. */
export const LOG_LEVEL = 'warn';

const POLL_MS = 50;
/** How often its memory is looked at. */
const LOOK_MS = 100;
/** The first start builds the read models of a million payments. */
const READY_MS = 1_800_000;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export class HostUnderLoad {
  readonly #server: ServerProcess;
  /** What every request carries. */
  readonly headers: Readonly<Record<string, string>>;

  private constructor(server: ServerProcess, { apiKey }: HostData) {
    this.#server = server;
    this.headers = {
      Authorization: apiKey,
      ClientId: String(TENANT_ID),
      UserEmail: USER_EMAIL,
    };
  }

  /** Starts it; resolves when it is ready and its read models are built. */
  static async start(
    data: HostData,
    nodeFlags: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<HostUnderLoad> {
    const { folder, masterKey } = data;
    const server = await ServerProcess.start({
      args: [...nodeFlags, CLI, 'start', '--production'],
      env: { DATA_DIR: folder, MASTER_KEY: masterKey, PORT: '0', LOG_LEVEL, ...env },
    });
    const host = new HostUnderLoad(server, data);
    try {
      await until(() => host.#isReady(), READY_MS);
      return host;
    } catch (error) {
      await host.stop();
      throw error;
    }
  }

  get port(): number {
    return this.#server.port;
  }

  get pid(): number {
    return this.#server.pid;
  }

  async #isReady(): Promise<boolean> {
    const { status } = await fetch(`http://127.0.0.1:${this.port}/readyz`);
    return status === 200;
  }

  /** Sends a request to the host or to a peer. */
  async post(
    path: string,
    body: string,
    more: Readonly<Record<string, string>> = {},
    port: number = this.port,
  ): Promise<Reply> {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      // As the load is answered: what is recorded here is compared with it.
      headers: {
        ...this.headers,
        'Content-Type': 'application/json',
        'Accept-Encoding': 'identity',
        ...more,
      },
      body,
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  /** Signs in to the console; resolves with the cookie of the session. */
  async signIn(): Promise<string> {
    const url = `http://127.0.0.1:${this.port}`;
    const page = await fetch(`${url}/console/sign-in`);
    const [, token = ''] = /name="token" value="([^"]+)"/.exec(await page.text()) ?? [];
    const company = String(TENANT_ID);
    const answer = await fetch(`${url}/console/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Origin: url, Cookie: cookiesOf(page) },
      body: new URLSearchParams({ company, email: USER_EMAIL, password: PASSWORD, token }),
    });
    if (answer.status !== 303) throw new Error(`the sign-in answered ${answer.status}`);
    return cookiesOf(answer);
  }

  /** Waits until a search finds the order: until then the projections are running. */
  async shows(orderId: number): Promise<void> {
    await until(async () => {
      const body = JSON.stringify({ orderIds: [orderId] });
      const { text } = await this.post('/api/transactions/search', body);
      return text.includes(`"orderId":${orderId},`);
    }, READY_MS);
  }

  /** Resident memory of its process, in bytes. */
  async residentBytes(): Promise<number> {
    const metrics = await fetch(`http://127.0.0.1:${this.port}/metrics`);
    const [, bytes] = /^process_resident_memory_bytes (\S+)$/m.exec(await metrics.text()) ?? [];
    if (bytes === undefined) throw new Error('the metrics have no resident memory');
    return Number(bytes);
  }

  /** The most of it while something is under way, in bytes. */
  async largestDuring<Result>(
    work: () => Promise<Result>,
  ): Promise<{ readonly bytes: number; readonly result: Result }> {
    let bytes = 0;
    let isOver = false;
    const working = work().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      bytes = Math.max(bytes, await this.residentBytes());
      await sleep(LOOK_MS);
    }
    return { bytes, result: await working };
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}

function cookiesOf({ headers }: Response): string {
  const cookies = headers.getSetCookie().map((each) => each.split(';', 1)[0] ?? '');
  return cookies.filter((each) => !each.endsWith('=')).join('; ');
}

async function until(isSo: () => Promise<boolean>, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`the host took more than ${withinMs / 1_000} s`);
    await sleep(POLL_MS);
  }
}
