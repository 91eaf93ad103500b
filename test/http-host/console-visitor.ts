/** A browser without scripts: keeps cookies, follows forms, and names its origin. */
import { expect } from 'vitest';
import { CALLER, type Running, type TenantId } from '../e2e/running-host.ts';

export const PASSWORD = 'correct horse battery staple';

/** Invites a user with these roles, who sets the password. */
export async function openUser(
  { host }: Running,
  tenantId: number,
  { email, roleIds }: { readonly email: string; readonly roleIds: readonly string[] },
): Promise<void> {
  const { users } = host.engine.as({ tenantId, actor: CALLER.actor });
  const { token } = await users.invite({ email, name: email, roleIds: [...roleIds] });
  await host.engine.signIns.setPassword(token ?? '', PASSWORD);
}

export interface ShownPage {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where it led to. */
  readonly location: string | null;
}

type Fields = Readonly<Record<string, string>>;

export class Visitor {
  readonly #url: string;
  readonly #cookies = new Map<string, string>();

  constructor(url: string) {
    this.#url = url;
  }

  async get(path: string): Promise<ShownPage> {
    return this.#fetch(path, {});
  }

  /** Sends a form of this host with the token of the page that was shown last. */
  async post(path: string, fields: Fields, headers: Fields = {}): Promise<ShownPage> {
    return this.#fetch(path, {
      method: 'POST',
      headers: { Origin: this.#url, ...headers },
      body: new URLSearchParams(fields),
    });
  }

  /** Sends a form with a file, as `multipart/form-data`. */
  async upload(
    path: string,
    fields: Fields,
    { file, headers = {} }: { readonly file?: File; readonly headers?: Fields } = {},
  ): Promise<ShownPage> {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    if (file !== undefined) body.append('file', file);
    return this.#fetch(path, { method: 'POST', headers: { Origin: this.#url, ...headers }, body });
  }

  /** The token of the forms of a page. */
  async token(path: string): Promise<string> {
    const { text } = await this.get(path);
    return /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '';
  }

  async submit(page: string, path: string, fields: Fields = {}): Promise<ShownPage> {
    return this.post(path, { ...fields, token: await this.token(page) });
  }

  async signIn(tenantId: number | TenantId, email: string): Promise<void> {
    const fields = { company: String(tenantId), email, password: PASSWORD };
    const answer = await this.submit('/console/sign-in', '/console/sign-in', fields);
    expect(answer.status, answer.text).toBe(303);
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name);
  }

  async #fetch(path: string, init: RequestInit): Promise<ShownPage> {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ');
    const answer = await fetch(this.#url + path, {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Fields), ...(cookie !== '' && { Cookie: cookie }) },
    });
    for (const header of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      if (/Max-Age=0/.test(header)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    const { status, headers } = answer;
    return { status, headers, text: await answer.text(), location: headers.get('location') };
  }
}

/** The hidden fields of a page with one form, such as a page of review. */
export function hiddenFields({ text }: ShownPage): Record<string, string> {
  const main = text.slice(text.indexOf('<main'));
  const fields = [...main.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  return Object.fromEntries(
    fields.map(([, name, value = '']) => [name, value.replaceAll('&quot;', '"')]),
  );
}

/** Texts of the cells of the row that begins with a name. */
export function row({ text }: ShownPage, name: string): string[] {
  const rows = text.match(/<tr>[\s\S]*?<\/tr>/g) ?? [];
  const cells = rows.map((each) =>
    [...each.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = '']) =>
      cell
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ),
  );
  return cells.find(([first]) => first === name) ?? [];
}
