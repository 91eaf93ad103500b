/** Calls of the server of a gateway: over connections that are kept, without redirects, and never sent again. */
import { Agent, type Dispatcher } from 'undici';

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
  readonly #agent = new Agent({ allowH2: false });

  /** Rejects where there is no whole answer: the server may have done what was asked. */
  async call({ origin, path, method, headers, body, timeoutMs }: HttpCall): Promise<HttpAnswer> {
    const answer = await this.#agent.request({
      ...{ origin, path, method: method as Dispatcher.HttpMethod, body },
      // Numbers are written as text.
      headers: headers as Record<string, string>,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  }
}
