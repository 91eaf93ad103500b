/**
 * What a section of the console declares of itself; `slices.ts` lists them all. README.md says how a section
 * is made.
 */
import type { KeyObject } from 'node:crypto';
import type { TenantId } from '@counterfoil/core';
import type {
  ActivityLog,
  Environment,
  LedgerState,
  SignIns,
  TenantLedger,
  TenantLedgers,
  Tenants,
  Users,
  UserView,
} from '@counterfoil/engine';
import type { z } from 'zod';
import type { NoInput, RequestContext } from '../http/endpoint.ts';
import type { Refusal } from '../http/errors.ts';
import type { ReadinessReport } from '../http/health.ts';
import type { RateLimits } from '../http/rate-limit.ts';
import type { ConsoleOperator } from '../operator/operators.ts';
import type { ParkedStreams } from '../operator/parked-streams.ts';
import type { OperatorWork } from '../operator/work.ts';

export interface ConsoleServices {
  readonly ledgers: TenantLedgers;
  readonly users: Users;
  readonly signIns: SignIns;
  readonly tenants: Pick<Tenants, 'tenant'>;
  readonly rateLimits: RateLimits;
  /** Every scope that an operation of this host needs, with what it permits. */
  readonly permissions: ReadonlyMap<string, string>;
  /** Signs the tokens of forms. */
  readonly formKey: KeyObject;
  /** Where browsers reach the host, if that is known. */
  readonly publicUrl: string | undefined;
  /** Converts an expected error of the engine; undefined for a defect. */
  readonly refusalOf: (error: unknown) => Refusal | undefined;
  readonly now: () => string;
  /** Of this host, for its operators. */
  readonly operations: Operations;
}

export interface Operations {
  isOperator(user: ConsoleOperator): boolean;
  state(): Promise<LedgerState>;
  report(): Promise<ReadinessReport>;
  readonly parked: ParkedStreams;
  readonly work: OperatorWork;
  readonly activity: ActivityLog;
}

/** Who looks at a page, and at which data. */
export interface Visit {
  readonly context: RequestContext;
  readonly services: ConsoleServices;
  /** Acts as the user, in this environment. */
  readonly ledger: TenantLedger;
  readonly environment: Environment;
  readonly tenantId: TenantId;
  readonly user: Pick<UserView, 'id' | 'email' | 'name'>;
  /** Of the session. */
  readonly sessionId: string;
  /** `OPERATOR_SCOPE` asks whether the user operates the host. */
  may(scope: string): boolean;
  /** The address of a path of the console in this environment: `/console/live/settings/keys`. */
  href(path: string): string;
}

/** Absent: every user who is signed in. */
type Scope = string | undefined;

/** A field or a form that cannot be accepted as it is. */
export interface Problem {
  /** The name of the field; '' where it is about the whole. */
  readonly field: string;
  readonly text: string;
}

/** A form that is shown again. */
export interface Again {
  /** Of the form. */
  readonly name: string;
  readonly values: Readonly<Record<string, string | readonly string[]>>;
  readonly problems: readonly Problem[];
}

/** Filters of a list that cannot be. */
export interface Wrong {
  /** As they were given. */
  readonly values: Again['values'];
  readonly problems: readonly Problem[];
}

interface PageInput<P extends z.ZodType, Q extends z.ZodType> {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  /** Where a form of this page is shown again. */
  readonly again: Again | undefined;
}

interface PageDefinition<P extends z.ZodType, Q extends z.ZodType> {
  /** Below `/console/{environment}`. */
  readonly path: string;
  readonly title: string;
  readonly scope?: Scope;
  readonly params?: P;
  readonly query?: Q;
  /** What cannot be of its query is left out, and said above it (`it.wrong`) rather than refused. Default: false. */
  readonly isList?: boolean;
  /** A file below this folder, without `.eta`: `/settings/keys`. */
  readonly template: string;
  /** It shows a document of `frames` within it. */
  readonly hasFrame?: boolean;
  /** What the template gets beside `frame` and `again`; `title` replaces that of the page. */
  load(visit: Visit, input: PageInput<P, Q>): Promise<object>;
}

export interface ConsolePage extends Omit<PageDefinition<z.ZodType, z.ZodType>, 'load'> {
  load(visit: Visit, input: object): Promise<object>;
}

/** Where a form leads; `notice` is said there once. */
interface Elsewhere {
  readonly to: string;
  readonly notice?: string;
}

/** What a form shows itself, such as a secret that is shown once. */
interface Shown {
  /** Default: 200. */
  readonly status?: number;
  readonly template: string;
  readonly title: string;
  readonly data: object;
}

/** HTML of others, as of a `ConsoleFrame`: for a form that is sent into a frame of its page. */
interface Framed {
  readonly html: string;
}

export type Outcome = Elsewhere | Shown | Framed;

/** A file that was chosen in a form. */
export interface SentFile {
  readonly name: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

interface FormInput<P extends z.ZodType, B extends z.ZodType> {
  readonly params: z.output<P>;
  readonly body: z.output<B>;
  /** Of a form with `file`; undefined where none was chosen. */
  readonly file: SentFile | undefined;
}

interface FormDefinition<P extends z.ZodType, B extends z.ZodType> {
  /** Unique: templates ask for it in `again.name`. */
  readonly name: string;
  readonly path: string;
  readonly scope?: Scope;
  readonly params?: P;
  /** An object of the fields. Those that are left empty are absent. */
  readonly body?: B;
  /** The form is `multipart/form-data` and has one file, in a field of this name. */
  readonly file?: { readonly field: string; readonly maxBytes: number };
  /** Shown again, with what was entered, where that is refused. Its parameters are those of the form. */
  readonly page: ConsolePage;
  act(visit: Visit, input: FormInput<P, B>): Promise<Outcome>;
}

export interface ConsoleForm extends Omit<FormDefinition<z.ZodType, z.ZodType>, 'act'> {
  act(visit: Visit, input: object): Promise<Outcome>;
}

/** A file that is sent as it is made, such as an export. */
export interface ConsoleFile {
  readonly path: string;
  readonly scope: string;
  readonly query?: z.ZodType;
  readonly fileName: string;
  readonly contentType: string;
  chunks(visit: Visit, input: { readonly query: unknown }): Promise<AsyncIterable<string>>;
}

interface FrameDefinition<P extends z.ZodType> {
  readonly path: string;
  readonly scope: string;
  readonly params: P;
  /** HTML of others. Undefined: there is none. */
  html(visit: Visit, input: { readonly params: z.output<P> }): Promise<string | undefined>;
}

/** A document of others, such as a mail, for a frame without rights: no scripts, forms or pictures of others. */
export interface ConsoleFrame extends Omit<FrameDefinition<z.ZodType>, 'html'> {
  html(visit: Visit, input: object): Promise<string | undefined>;
}

export interface ConsoleSlice {
  /** Absent: not in the navigation. With `anyOf` for those who have one of these scopes. */
  readonly nav?: {
    readonly title: string;
    /** Typed after `g`, it leads there. */
    readonly key: string;
    readonly path: string;
    readonly scope?: Scope;
    readonly anyOf?: readonly string[];
  };
  readonly pages: readonly ConsolePage[];
  readonly forms?: readonly ConsoleForm[];
  readonly files?: readonly ConsoleFile[];
  readonly frames?: readonly ConsoleFrame[];
}

export function consolePage<P extends z.ZodType = NoInput, Q extends z.ZodType = NoInput>(
  definition: PageDefinition<P, Q>,
): ConsolePage {
  // It is given only what its own schemas returned.
  return definition as unknown as ConsolePage;
}

export function consoleForm<P extends z.ZodType = NoInput, B extends z.ZodType = NoInput>(
  definition: FormDefinition<P, B>,
): ConsoleForm {
  return definition as unknown as ConsoleForm;
}

export function consoleFrame<P extends z.ZodType>(definition: FrameDefinition<P>): ConsoleFrame {
  return definition as unknown as ConsoleFrame;
}

export function consoleSlice(slice: ConsoleSlice): ConsoleSlice {
  return slice;
}
