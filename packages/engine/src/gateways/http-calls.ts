/** Calls of the server of a gateway: over connections that are kept, without redirects, and never sent again. */
import type { Agent, Dispatcher } from 'undici';

export interface HttpCall {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | number | string[]>>;
  readonly body: string | Uint8Array;
  /** Until the answer begins, and between its parts. */
  readonly timeoutMs: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export class HttpCalls {
  /** The client is loaded by the first call: not every gateway makes one. */
  #agent: Promise<Agent> | undefined;

  /** Rejects where there is no whole answer: the server may have done what was asked. */
  async call({ origin, path, method, headers, body, timeoutMs }: HttpCall): Promise<HttpAnswer> {
    this.#agent ??= makeAgent();
    const agent = await this.#agent;
    const answer = await agent.request({
      ...{ origin, path, method: method as Dispatcher.HttpMethod, body },
      // Numbers are written as text.
      headers: headers as Record<string, string>,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  }
}

async function makeAgent(): Promise<Agent> {
  const { Agent } = await import('undici');
  return new Agent({ allowH2: false });
}
