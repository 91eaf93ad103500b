/** The terms that the pages use, with their meanings. */
import { anchorOfTerm, TERMS } from '../../api/terms.ts';
import { consolePage, consoleSlice } from '../slice.ts';

const glossary = consolePage({
  path: '/glossary',
  title: 'Glossary',
  template: '/glossary/glossary',
  async load() {
    return { groups: GROUPS };
  },
});

const GROUPS = TERMS.map(({ title, terms }) => ({
  title,
  terms: terms.map(({ term, meaning }) => ({
    term,
    anchor: anchorOfTerm(term),
    parts: partsOf(meaning),
  })),
}));

/** Code stands between backticks. */
function partsOf(meaning: string) {
  return meaning.split('`').map((text, index) => ({ text, isCode: index % 2 === 1 }));
}

/** Every page leads to it at its foot. */
export const GLOSSARY = consoleSlice({ pages: [glossary] });
