/** The pages of the widget's frames, each with a policy that admits its own files alone, and the gateway's where it needs those. */
import type { CardEntry } from '@counterfoil/engine';

export interface WidgetPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/** Addresses of the files, with their hashes. */
export interface WidgetAddresses {
  readonly frame: string;
  readonly challenge: string;
  readonly style: string;
}

function policy(more: Readonly<Record<string, string>>): string {
  const directives = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    ...more,
  };
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
}

const HEAD = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">';

interface Frame {
  readonly key: string;
  readonly origin: string;
  readonly entry: CardEntry;
}

/** The card form, for a page of this origin alone. */
export function framePage({ key, origin, entry }: Frame, addresses: WidgetAddresses): WidgetPage {
  const { fields, data, sources } = entryOf(entry);
  const html = `<!doctype html>
<html lang="en" data-key="${escaped(key)}" data-page="${escaped(origin)}"${data}>
<head>${HEAD}<title>Card details</title><link rel="stylesheet" href="${addresses.style}"></head>
<body>
<main>
<h1 data-text="title"></h1>
<p id="status" role="status" tabindex="-1"></p>
<form id="form" novalidate autocomplete="on" aria-busy="true">
${fields}
<div class="field"><label for="name" data-text="name"></label><input id="name" autocomplete="cc-name" maxlength="200"></div>
<button id="pay" type="submit" aria-disabled="true" data-text="pay"></button>
</form>
<section id="challenge" tabindex="-1" aria-labelledby="status" hidden>
<div id="challenge-frame"></div>
<button id="give-up" type="button" data-text="giveUp"></button>
</section>
</main>
<script src="${addresses.frame}"></script>
</body>
</html>
`;
  return { html, contentSecurityPolicy: policy({ ...sources, 'frame-ancestors': origin }) };
}

const TYPED_FIELDS = `${field('number', 'inputmode="numeric" autocomplete="cc-number" maxlength="23"')}
<div class="row">
${field('expiry', 'inputmode="numeric" autocomplete="cc-exp" maxlength="9"')}
${field('cvv', 'inputmode="numeric" autocomplete="cc-csc" maxlength="4"')}
</div>`;

/** Of the gateway's own frame. */
const SCRIPT_FIELD = `<div class="field"><span id="gateway-label" data-text="title"></span><div id="gateway-card" role="group" aria-labelledby="gateway-label"></div><p class="error" id="gateway-error" role="alert"></p></div>`;

/** What the form has of the card, what its script is given, and what the policy admits for that. */
function entryOf(entry: CardEntry) {
  if (entry.by !== 'script') {
    return {
      fields: TYPED_FIELDS,
      data: entry.by === 'none' ? ' data-entry="none"' : '',
      // Banks have pages anywhere.
      sources: { 'connect-src': "'self'", 'frame-src': "'self' https:" },
    };
  }
  const { scriptSources, frameSources, connectSources, ...given } = entry.script;
  const sourced = (sources: readonly string[]) => ["'self'", ...sources].join(' ');
  return {
    fields: SCRIPT_FIELD,
    data: ` data-entry="script" data-script="${escaped(JSON.stringify(given))}"`,
    sources: {
      'script-src': sourced(scriptSources),
      'connect-src': sourced(connectSources),
      'frame-src': sourced(frameSources),
    },
  };
}

function field(name: 'number' | 'expiry' | 'cvv', attributes: string): string {
  const input = `<input id="${name}" ${attributes} required aria-required="true" aria-invalid="false" aria-describedby="${name}-error" spellcheck="false">`;
  const shown =
    name === 'number'
      ? `<div class="number">${input}<span id="network" role="status"></span></div>`
      : input;
  return `<div class="field"><label for="${name}" data-text="${name}"></label>${shown}<p class="error" id="${name}-error" role="alert"></p></div>`;
}

/** Where the sandbox sends buyers to prove who they are; and where banks send them back to. */
export function challengePage(isDone: boolean, addresses: WidgetAddresses): WidgetPage {
  const [title, body] = isDone
    ? ['Done', `<p>One moment, please.</p><script src="${addresses.challenge}"></script>`]
    : [
        'Sandbox bank',
        '<p>No money moves here: the number of the card says what happens next.</p><p><a id="authenticate" href="?done=true">Confirm the payment</a></p>',
      ];
  const html = `<!doctype html>
<html lang="en">
<head>${HEAD}<title>${title}</title><link rel="stylesheet" href="${addresses.style}"></head>
<body><main><h1>${title}</h1>${body}</main></body>
</html>
`;
  // It decides nothing, and its one message goes to the host's own frame.
  return { html, contentSecurityPolicy: policy({ 'frame-ancestors': 'https: http:' }) };
}
