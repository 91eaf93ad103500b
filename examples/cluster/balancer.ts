/** A small load balancer: sends to hosts that are ready, and retries at another host on failure. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, Caller, type Credentials, type KeptRequest } from '@counterfoil/test/caller';
import type { Member } from './member.ts';

/** Interval of the readiness probes. */
const LOOK_MS = 150;
const LOOK_LIMIT_MS = 2_000;
/** Pause before a retry. */
const PAUSE_MS = 60;
/** Timeout of a request to one host. */
const ANSWER_LIMIT_MS = 20_000;
/** All hosts may be down for a while; longer than this is an error. */
const DECIDED_LIMIT_MS = 180_000;
const FIRST_SERVER_ERROR = 500;
const TRANSIENT = ['idempotency_in_flight', 'concurrent_update'];

export interface Answered extends Answer {
  readonly by: Member;
}

export class Balancer {
  readonly #hosts: readonly Member[];
  readonly #ready = new Set<Member>();
  readonly #stopping = new AbortController();
  readonly #looking: Promise<unknown>;
  #next = 0;
  /** Conclusive responses. */
  answers = 0;
  /** Retries: the host disconnected, or asked for a retry. */
  repeats = 0;
  /** Responses with an internal error of a host. */
  readonly internalErrors: string[] = [];

  constructor(hosts: readonly Member[]) {
    this.#hosts = hosts;
    this.#looking = Promise.all(hosts.map((host) => this.#look(host)));
  }

  isReady(host: Member): boolean {
    return this.#ready.has(host);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
  }

  async #look(host: Member): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      if (await isReady(host.url)) this.#ready.add(host);
      else this.#ready.delete(host);
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * Sends a request until its outcome is conclusive, alternating between hosts; with `elsewhere`,
   * avoids that host while another one is ready.
   */
  async send(
    request: KeptRequest,
    as: Credentials,
    { elsewhere }: { readonly elsewhere?: Member } = {},
  ): Promise<Answered> {
    const until = Date.now() + DECIDED_LIMIT_MS;
    while (Date.now() < until) {
      const host = this.#choose(elsewhere);
      const answer = host && (await this.#try(host, request, as));
      if (answer !== undefined) return answer;
      await sleep(PAUSE_MS);
    }
    throw new Error(`${request.path} ${request.key ?? ''} was not decided in time`);
  }

  /** Sends a request to one host until its outcome is conclusive. */
  async sendTo(host: Member, request: KeptRequest, as: Credentials): Promise<Answered> {
    const until = Date.now() + DECIDED_LIMIT_MS;
    while (Date.now() < until) {
      const answer = await this.#try(host, request, as);
      if (answer !== undefined) return answer;
      await sleep(PAUSE_MS);
    }
    throw new Error(`${host.name} did not decide ${request.path} ${request.key ?? ''} in time`);
  }

  /** Sends a request once, the client's own retries being off; rejects when the host is gone. */
  async once(host: Member, request: KeptRequest, as: Credentials): Promise<Answered> {
    const caller = new Caller(() => host.url, as);
    return { ...(await within(caller.send(request), ANSWER_LIMIT_MS)), by: host };
  }

  #choose(elsewhere: Member | undefined): Member | undefined {
    const ready = this.#hosts.filter((host) => this.#ready.has(host));
    const others = ready.filter((host) => host !== elsewhere);
    const among = others.length === 0 ? ready : others;
    this.#next += 1;
    return among[this.#next % Math.max(1, among.length)];
  }

  /** Undefined: retry. */
  async #try(host: Member, request: KeptRequest, as: Credentials): Promise<Answered | undefined> {
    let answer: Answered;
    try {
      answer = await this.once(host, request, as);
    } catch {
      // Stopped or stopping: no requests until it is ready again.
      this.#ready.delete(host);
      this.repeats += 1;
      return undefined;
    }
    const { code } = answer.body;
    if (code === 'internal_error') {
      this.internalErrors.push(`${host.name} ${request.path} ${request.key ?? ''}`);
    }
    if (!isDecided(answer)) {
      this.repeats += 1;
      return undefined;
    }
    this.answers += 1;
    return answer;
  }
}

/** Whether the response is conclusive, so that no retry is needed. */
export function isDecided({ status, body }: Answered): boolean {
  return status < FIRST_SERVER_ERROR && !TRANSIENT.includes(body.code);
}

async function isReady(url: string): Promise<boolean> {
  if (url === '') return false;
  try {
    const signal = AbortSignal.timeout(LOOK_LIMIT_MS);
    const answer = await fetch(`${url}/readyz`, { signal });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

async function within<Value>(asked: Promise<Value>, limitMs: number): Promise<Value> {
  const answered = new AbortController();
  const tooLate = sleep(limitMs, undefined, { signal: answered.signal }).then(() => {
    throw new Error(`no answer within ${limitMs} ms`);
  });
  tooLate.catch(() => undefined);
  try {
    return await Promise.race([asked, tooLate]);
  } finally {
    answered.abort();
  }
}
