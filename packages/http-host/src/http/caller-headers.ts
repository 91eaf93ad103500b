/** What the headers say that name a caller: a key, and a user. */
import { isEmail } from '@counterfoil/core';
import { keyDigest } from '@counterfoil/engine';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Node decodes header bytes as Latin-1; undefined where the bytes are not UTF-8. */
export function utf8Of(header: string): string | undefined {
  try {
    return UTF8.decode(Buffer.from(header, 'latin1'));
  } catch {
    return undefined;
  }
}

/** Of one connection: most send the same key and user with each request, which are read once then. */
export class CallerHeaders {
  /** The digest of an API key. Nothing is kept of the state of the key. */
  readonly digestOf = onChange(keyDigest);
  /** The address in a UserEmail header; undefined where it is none. */
  readonly userIn = onChange((userEmail) => {
    const email = utf8Of(userEmail);
    return email !== undefined && isEmail(email) ? email : undefined;
  });
}

/** Asks again only when the text is another. */
function onChange<Answer>(ask: (text: string) => Answer): (text: string) => Answer {
  let last: string | undefined;
  let answer: Answer;
  return (text) => {
    if (text !== last) {
      answer = ask(text);
      last = text;
    }
    return answer;
  };
}
