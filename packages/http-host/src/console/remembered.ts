/** What is made once of what comes with every page. */

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

/** The same function of objects that nothing changes: what it has made of one is kept as long as that is. */
export function keptFor<Of extends object, Made>(make: (of: Of) => Made): (of: Of) => Made {
  const known = new WeakMap<Of, Made>();
  return (of) => {
    let made = known.get(of);
    if (made === undefined) {
      made = make(of);
      known.set(of, made);
    }
    return made;
  };
}
