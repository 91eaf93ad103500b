/** Sign-in of users: passwords, second factors, links and sessions. No pages. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { Users as Aggregate, emailIdentity, type TenantId } from '@counterfoil/core';
import { type ActivityLog, recordedRun } from '../activity/index.ts';
import { SYSTEM } from '../command-runner.ts';
import { deriveKey } from '../derive-key.ts';
import { uuidV7 } from '../ids.ts';
import { refused } from '../refusal.ts';
import { waitAfter } from '../runtime/growing-wait.ts';
import type { Credential, Credentials, LinkPurpose, Session, Whose } from './credentials.ts';
import { type Cost, hashPassword, isPassword, PRESENT_COST } from './passwords.ts';
import { base32Of, makeSecret, stepOf } from './totp.ts';
import type { Users } from './users.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PROOF_MS = 5 * MINUTE_MS;
export const MIN_PASSWORD_LENGTH = 12;
/** Longer ones would only cost time. */
const MAX_PASSWORD_LENGTH = 256;
export const LINK_MS = 24 * HOUR_MS;
export const IDLE_MS = 30 * MINUTE_MS;
export const LONGEST_SESSION_MS = 12 * HOUR_MS;
/** How exactly the last use of a session is kept. */
const USE_STEP_MS = MINUTE_MS;
const FREE_FAILURES = 5;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 15 * MINUTE_MS;
const FAILURES_KEPT_MS = 24 * HOUR_MS;
const RECOVERY_CODES = 10;
/** Tries of a change that others come before. */
const MAX_CHANGES = 20;
/** The actor of an email that is no user's: it may be any text. */
const UNKNOWN = 'unknown';
const TOKEN_BYTES = 32;
const RECOVERY_BYTES = 10;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface PasswordProof {
  readonly proof: string;
}

export interface SignIn {
  readonly tenantId: TenantId;
  readonly email: string;
  /** Or what `provePassword` made of it. */
  readonly password: string | PasswordProof;
  /** Of the authenticator app, or one of the recovery codes. */
  readonly code?: string;
  readonly address: string;
  readonly agent: string;
}

type Named = Pick<SignIn, 'tenantId' | 'email' | 'password'>;

export interface SignedIn extends Session {
  /** For the cookie: kept as a digest only. */
  readonly token: string;
}

/** Who is signed in. */
export interface Visitor {
  readonly session: Session;
  readonly user: Aggregate.User;
  readonly scopes: ReadonlySet<string>;
}

export interface NewSecondFactor {
  /** Of `makeSecondFactor`. */
  readonly sealed: string;
  /** That the app shows. */
  readonly code: string;
  readonly password: string;
}

interface SignInServices {
  readonly users: Users;
  readonly credentials: Credentials;
  readonly masterKey: Buffer;
  readonly activity: ActivityLog;
  /** Of passwords that are set from now on. */
  readonly cost?: Cost;
}

export class SignIns {
  readonly #users: Users;
  readonly #credentials: Credentials;
  readonly #key: Buffer;
  readonly #activity: ActivityLog;
  readonly #cost: Cost;

  constructor({ users, credentials, activity, ...services }: SignInServices) {
    const { masterKey, cost = PRESENT_COST } = services;
    this.#cost = cost;
    this.#activity = activity;
    this.#users = users;
    this.#credentials = credentials;
    this.#key = deriveKey(masterKey, 'second factors of users');
  }

  /**
   * Begins a session. Refuses with `SignInDelayed` after five failures in a row, with `SecondFactorRequired`
   * where the password is right and a code is missing, and with `SignInRefused` for all else, alike for
   * emails that are known and those that are not.
   */
  async signIn(request: SignIn): Promise<SignedIn> {
    const { tenantId, email, address } = request;
    const user = Aggregate.userOf(await this.#users.state(tenantId), email);
    const performer = { tenantId, actor: user?.email ?? UNKNOWN, remoteAddress: address };
    return this.#recorded(performer, user?.userId, 'signIn', () => this.#signIn(request));
  }

  /**
   * Stands for the password in a later `signIn`, for five minutes: so that the password need not be kept
   * until the code of the second factor is entered. Refuses as `signIn` does.
   */
  async provePassword(request: Omit<SignIn, 'code'>): Promise<PasswordProof> {
    const { whose, credential } = await this.#checkPassword(request);
    const until = String(Date.parse(this.#users.now()) + PROOF_MS);
    return { proof: `${until}.${this.#proofOf(whose, credential, until)}` };
  }

  async #checkPassword({ tenantId, email, password }: Named) {
    const who = hash('sha256', JSON.stringify([tenantId, emailIdentity(email)]));
    await this.#refuseEarly(who);
    const user = Aggregate.userOf(await this.#users.state(tenantId), email);
    const whose = { tenantId, userId: user?.userId ?? '' };
    const credential = await this.#credentials.get(whose);
    const isRight =
      typeof password === 'string'
        ? await isPassword(bounded(password), credential.password ?? undefined, this.#cost)
        : this.#isProof(password.proof, whose, credential);
    if (!isRight || user?.status !== 'active') throw await this.#failed(who);
    return { who, whose, credential };
  }

  /** Another password makes it void. */
  #proofOf(whose: Whose, { password }: Credential, until: string): string {
    const facts = JSON.stringify([whose.tenantId, whose.userId, password, until]);
    return createHmac('sha256', this.#key).update(facts).digest('base64url');
  }

  #isProof(given: string, whose: Whose, credential: Credential): boolean {
    const [until = '', mac = ''] = given.split('.', 2);
    if (credential.password === null || !(Number(until) > Date.parse(this.#users.now()))) {
      return false;
    }
    const expected = Buffer.from(this.#proofOf(whose, credential, until));
    const actual = Buffer.from(mac);
    return actual.length === expected.length && timingSafeEqual(actual, expected);
  }

  async #signIn(request: SignIn): Promise<SignedIn> {
    const { code, address, agent } = request;
    const { who, whose, credential } = await this.#checkPassword(request);
    if (credential.totp !== null) {
      if (code === undefined) throw refused({ type: 'SecondFactorRequired' });
      if (!(await this.#useCode(whose, credential, code))) throw await this.#failed(who);
    }
    // Another password, set while this one was checked, has ended all sessions.
    const { password } = await this.#credentials.get(whose);
    if (password !== credential.password) throw await this.#failed(who);
    await this.#credentials.dropFailures(who, this.#ago(FAILURES_KEPT_MS));
    return this.#begin(whose, { address, agent });
  }

  /** The session of a token, and prolongs it; undefined once it is over or its user is not active. */
  async session(token: string): Promise<Session | undefined> {
    return (await this.visitor(token))?.session;
  }

  /** The same with its user, and what that may do now. */
  async visitor(token: string): Promise<Visitor | undefined> {
    const digest = digestOf(token);
    const session = await this.#credentials.session(digest);
    if (session === undefined) return undefined;
    const { tenantId, userId, createdAt, usedAt } = session;
    const now = this.#users.now();
    const [nowMs, usedMs] = [Date.parse(now), Date.parse(usedAt)];
    const isOver = Date.parse(createdAt) + LONGEST_SESSION_MS <= nowMs || usedMs + IDLE_MS <= nowMs;
    const state = await this.#users.state(tenantId);
    const user = state.users.get(userId);
    if (isOver || user?.status !== 'active') {
      await this.#credentials.endSessions(session, session.sessionId);
      return undefined;
    }
    if (usedMs + USE_STEP_MS <= nowMs) await this.#credentials.useSession(digest, now);
    const scopes = this.#users.knownIn(state, user.email)?.scopes;
    return scopes && { session, user, scopes };
  }

  /** Of a user, the oldest first. */
  async sessionsOf(whose: Whose): Promise<readonly Session[]> {
    await this.#credentials.endSessionsBefore(this.#ago(LONGEST_SESSION_MS), this.#ago(IDLE_MS));
    return this.#credentials.sessionsOf(whose);
  }

  /** One session, or all of a user. */
  async signOut(whose: Whose, sessionId?: string): Promise<void> {
    await this.#recordedOf(whose, 'signOut', () => this.endSessions(whose, sessionId));
  }

  /** The same as a part of another command. */
  async endSessions(whose: Whose, sessionId?: string): Promise<void> {
    await this.#credentials.endSessions(whose, sessionId);
  }

  /** A link is good for 24 hours and once; a new one ends those before. */
  async link(whose: Whose, purpose: LinkPurpose): Promise<string> {
    const now = this.#users.now();
    await this.#credentials.dropLinks(whose, now);
    const token = newToken();
    const expiresAt = new Date(Date.parse(now) + LINK_MS).toISOString();
    await this.#credentials.addLink(digestOf(token), whose, purpose, expiresAt);
    return token;
  }

  /**
   * Sets the password by the token of a link, and ends all sessions. An invited user is active from then
   * on. Refuses with `PasswordTooWeak` before the link is used, and with `LinkUnknown`.
   */
  async setPassword(token: string, password: string): Promise<Whose> {
    const length = [...password.normalize('NFKC')].length;
    if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH) {
      throw refused({
        type: 'PasswordTooWeak',
        min: MIN_PASSWORD_LENGTH,
        max: MAX_PASSWORD_LENGTH,
      });
    }
    const digest = await hashPassword(password, this.#cost);
    const link = await this.#credentials.takeLink(digestOf(token), this.#users.now());
    const user = link && (await this.#users.state(link.tenantId)).users.get(link.userId);
    if (link === undefined || user === undefined || user.status === 'disabled') {
      throw refused({ type: 'LinkUnknown' });
    }
    const { tenantId, userId } = link;
    const whose = { tenantId, userId };
    // Until here only the token says whose it is: what is refused is not recorded.
    await this.#recordedOf(whose, 'setPassword', async () => {
      await this.#change(whose, { password: digest });
      await this.#credentials.endSessions(whose);
      if (user.status === 'invited') {
        await this.#users.execute(tenantId, { type: 'ActivateUser', userId }, SYSTEM);
      }
    });
    return whose;
  }

  /** A secret for an authenticator app, which is in force once a code confirms it. */
  async makeSecondFactor(): Promise<{ readonly secret: string; readonly sealed: string }> {
    const secret = makeSecret();
    return { secret: base32Of(secret), sealed: this.#seal(secret) };
  }

  /**
   * Returns the recovery codes, each good once. Takes the password again: a session that was left open is
   * not enough. Refuses with `SignInRefused` for a wrong code or password, and as `signIn` does.
   */
  async confirmSecondFactor(
    whose: Whose,
    { sealed, code, password }: NewSecondFactor,
  ): Promise<readonly string[]> {
    return this.#recordedOf(whose, 'confirmSecondFactor', async () => {
      await this.#askPassword(whose, password);
      return this.#confirmSecondFactor(whose, sealed, code);
    });
  }

  async #confirmSecondFactor(
    whose: Whose,
    sealed: string,
    code: string,
  ): Promise<readonly string[]> {
    const nowMs = Date.parse(this.#users.now());
    const usedStep = stepOf(code, { secret: this.#open(sealed), nowMs, usedStep: 0 });
    if (usedStep === undefined) throw refused({ type: 'SignInRefused' });
    const codes = Array.from({ length: RECOVERY_CODES }, () =>
      base32Of(randomBytes(RECOVERY_BYTES)),
    );
    const recovery = codes.map(digestOf);
    const seen = await this.#credentials.get(whose);
    const isKept = await this.#credentials.change(whose, seen, {
      totp: sealed,
      usedStep,
      recovery,
    });
    if (!isKept) throw refused({ type: 'ConcurrentUpdate' });
    return codes;
  }

  /** Takes the password again, and refuses as `signIn` does. */
  async removeSecondFactor(whose: Whose, password: string): Promise<void> {
    await this.#recordedOf(whose, 'removeSecondFactor', async () => {
      await this.#askPassword(whose, password);
      await this.#change(whose, { totp: null, recovery: [] });
    });
  }

  /** Failures count as those of signing in. */
  async #askPassword({ tenantId, userId }: Whose, password: string): Promise<void> {
    const user = (await this.#users.state(tenantId)).users.get(userId);
    const { who } = await this.#checkPassword({ tenantId, email: user?.email ?? '', password });
    await this.#credentials.dropFailures(who, this.#ago(FAILURES_KEPT_MS));
  }

  /** Whatever else changes meanwhile, such as a code that is used. */
  async #change(whose: Whose, change: Partial<Credential>): Promise<void> {
    for (let tries = 0; tries < MAX_CHANGES; tries += 1) {
      const seen = await this.#credentials.get(whose);
      if (await this.#credentials.change(whose, seen, change)) return;
    }
    throw refused({ type: 'ConcurrentUpdate' });
  }

  async hasSecondFactor(whose: Whose): Promise<boolean> {
    return (await this.#credentials.get(whose)).totp !== null;
  }

  async #recordedOf<Answer>(
    { tenantId, userId }: Whose,
    name: string,
    run: () => Promise<Answer>,
  ): Promise<Answer> {
    const user = (await this.#users.state(tenantId)).users.get(userId);
    return this.#recorded({ tenantId, actor: user?.email ?? UNKNOWN }, userId, name, run);
  }

  async #recorded<Answer>(
    { actor, ...from }: { tenantId: TenantId; actor: string; remoteAddress?: string },
    userId: string | undefined,
    name: string,
    run: () => Promise<Answer>,
  ): Promise<Answer> {
    const performer = { ...from, environment: 'live', caller: { actor } } as const;
    const call = { name, subject: () => userId, run };
    return recordedRun(this.#activity, performer, 'signIns', call);
  }

  /** Each code once, also in a race. */
  async #useCode(whose: Whose, seen: Credential, code: string): Promise<boolean> {
    const nowMs = Date.parse(this.#users.now());
    const secret = this.#open(seen.totp ?? '');
    const usedStep = stepOf(code, { secret, nowMs, usedStep: seen.usedStep });
    if (usedStep !== undefined) return this.#credentials.change(whose, seen, { usedStep });
    const digest = digestOf(code.toUpperCase());
    if (!seen.recovery.includes(digest)) return false;
    const recovery = seen.recovery.filter((each) => each !== digest);
    return this.#credentials.change(whose, seen, { recovery });
  }

  async #begin(whose: Whose, from: Pick<Session, 'address' | 'agent'>): Promise<SignedIn> {
    const token = newToken();
    const now = this.#users.now();
    const session = { ...whose, sessionId: uuidV7(), createdAt: now, usedAt: now, ...from };
    await this.#credentials.addSession(digestOf(token), session);
    return { ...session, token };
  }

  /** Doubles from a second on; it never locks out for ever. */
  async #refuseEarly(who: string): Promise<void> {
    const failures = await this.#credentials.failures(who);
    if (failures === undefined || failures.count < FREE_FAILURES) return;
    const delayed = failures.count - FREE_FAILURES + 1;
    const delays = { firstMs: FIRST_DELAY_MS, longestMs: LONGEST_DELAY_MS };
    const retryAtMs = Date.parse(failures.lastAt) + waitAfter(delayed, delays);
    if (retryAtMs <= Date.parse(this.#users.now())) return;
    throw refused({ type: 'SignInDelayed', retryAt: new Date(retryAtMs).toISOString() });
  }

  async #failed(who: string) {
    await this.#credentials.addFailure(who, this.#users.now());
    return refused({ type: 'SignInRefused' });
  }

  #ago(ms: number): string {
    return new Date(Date.parse(this.#users.now()) - ms).toISOString();
  }

  #seal(secret: Buffer): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    const body = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
  }

  #open(sealed: string): Buffer {
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([
      decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
      decipher.final(),
    ]);
  }
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** 80 random bits and more need no salt. */
function digestOf(token: string): string {
  return hash('sha256', token);
}

/** A longer password is wrong whatever it is, and takes no longer. */
function bounded(password: string): string {
  return password.length > 4 * MAX_PASSWORD_LENGTH ? '' : password;
}
