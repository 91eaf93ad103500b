/** The visit of a page: its id, that of the partner, and the pages that were seen. */

const PREFIX = 'counterfoil.';
const MAX_PAGES = 200;
const MAX_PAGE_LENGTH = 2_000;

export interface Visit {
  /** The id of this visit. */
  readonly serviceSession: string;
  /** The partner's session, click or visit id; that of this visit where there is none. */
  readonly partnerSession: string;
  /** Paths, in the order in which they were seen. */
  readonly pages: readonly string[];
}

/** Kept for the tab. A browser that keeps nothing has a visit for each page. */
export function visitOf(partnerSession: string | undefined): Visit {
  const serviceSession = kept('serviceSession') ?? keep('serviceSession', randomUuid());
  const asked = partnerSession ?? new URLSearchParams(location.search).get('partnerSession');
  const partner = asked || kept('partnerSession') || serviceSession;
  keep('partnerSession', partner);
  return { serviceSession, partnerSession: partner, pages: seen() };
}

function seen(): readonly string[] {
  const page = location.pathname.slice(0, MAX_PAGE_LENGTH);
  const before = pagesIn(kept('pages'));
  const pages = before.at(-1) === page ? before : [...before, page].slice(-MAX_PAGES);
  keep('pages', JSON.stringify(pages));
  return pages;
}

function pagesIn(text: string | undefined): string[] {
  try {
    const pages: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(pages) ? pages.filter((page) => typeof page === 'string') : [];
  } catch {
    return [];
  }
}

function kept(name: string): string | undefined {
  try {
    return sessionStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

function keep(name: string, value: string): string {
  try {
    sessionStorage.setItem(PREFIX + name, value);
  } catch {
    // The browser keeps nothing for this page.
  }
  return value;
}

/** `crypto.randomUUID` is not there on pages without TLS. */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte, index) => {
    const versioned = index === 6 ? (byte & 0x0f) | 0x40 : byte;
    const value = index === 8 ? (byte & 0x3f) | 0x80 : versioned;
    return value.toString(16).padStart(2, '0');
  }).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
