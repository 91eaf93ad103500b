/** An endpoint: method, path, parameters, handler. */
import type { FormObject } from './form.ts';
import { type Field, list, type ParamsOf, readParams, type Shape, text } from './params.ts';
import type { AccountState } from './state.ts';

export type Method = 'GET' | 'POST' | 'DELETE';

export interface Upload {
  readonly filename: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface Call {
  readonly state: AccountState;
  /** The part of the path in braces; empty where there is none. */
  readonly id: string;
  readonly path: string;
  /** The file of a multipart body. */
  readonly upload: Upload | undefined;
}

export interface Route {
  readonly method: Method;
  /** As the published document writes it, `/v1/refunds/{refund}`. */
  readonly path: string;
  /** Throws a refusal where parameters are wrong; what it returns does the work. */
  prepare(form: FormObject): Prepared;
}

export interface Prepared {
  readonly expand: readonly string[];
  handle(call: Call): object;
}

export function route<S extends Shape>(
  method: Method,
  path: string,
  shape: S,
  handle: (call: Call, params: ParamsOf<S>) => object,
): Route {
  const expand: Field<readonly string[] | undefined> = list(text);
  return {
    method,
    path,
    prepare(form) {
      const { expand: given, ...rest } = form;
      const params = readParams(rest, shape);
      return {
        expand: expand.read(given, 'expand') ?? [],
        handle: (call) => handle(call, params),
      };
    },
  };
}
