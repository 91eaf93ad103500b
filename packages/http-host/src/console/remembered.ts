/** What is made of texts that are few and come with every page. */

/** More are not remembered, nor longer ones: some texts come from outside. */
const MAX_TEXTS = 1_000;
const MAX_LENGTH = 100;

/** The same function, which answers from memory what it was asked before. */
export function remembered<Of>(make: (text: string) => Of): (text: string) => Of {
  const known = new Map<string, Of>();
  return (text) => {
    if (known.has(text)) return known.get(text) as Of;
    const made = make(text);
    if (known.size < MAX_TEXTS && text.length <= MAX_LENGTH) known.set(text, made);
    return made;
  };
}
