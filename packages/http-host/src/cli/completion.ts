/** `counterfoil completion`: scripts for shells, from the tree of commands. */
import { Argument, type Command } from 'commander';
import type { Session } from './session.ts';

const NAME = 'counterfoil';

/** What may follow the words of a command. */
interface Place {
  /** The words from the name of the program on. */
  readonly words: readonly string[];
  /** Subcommands, and values of its arguments. */
  readonly offers: readonly Offer[];
  readonly options: readonly OfferedOption[];
  /** Whether one of its arguments is a file or a folder. */
  readonly takesFiles: boolean;
}

interface Offer {
  readonly word: string;
  readonly description: string;
}

interface OfferedOption extends Offer {
  /** Undefined where it has no value, empty for one of any kind. */
  readonly values: readonly string[] | undefined;
}

/** Arguments that name a file or a folder. */
const FILE_ARGUMENTS: ReadonlySet<string> = new Set(['backup', 'file', 'folder']);

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export function addCompletionCommand(program: Command, session: Session): void {
  program
    .command('completion')
    .description('Print the completion script of a shell, which says how to load it')
    .addArgument(
      new Argument('<shell>', 'it is printed to standard output, to be sourced').choices(
        Object.keys(SHELLS),
      ),
    )
    .action((shell: keyof typeof SHELLS) => {
      const script = SHELLS[shell](placesIn(program, [NAME]));
      session.print({ shell, script }, (console) => console.log(script));
    });
}

function placesIn(command: Command, words: readonly string[]): readonly Place[] {
  const commands = command.commands.map((each) => ({
    word: each.name(),
    description: each.description(),
  }));
  const choices = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((word) => ({ word, description })),
  );
  const options = command.options.flatMap(({ long, description, required, argChoices = [] }) =>
    long == null ? [] : [{ word: long, description, values: required ? argChoices : undefined }],
  );
  const help = { word: '--help', description: 'display help for command', values: undefined };
  return [
    {
      words,
      offers: [...commands, ...choices],
      options: [...options, help],
      takesFiles: command.registeredArguments.some((each) => FILE_ARGUMENTS.has(each.name())),
    },
    ...command.commands.flatMap((each) => placesIn(each, [...words, each.name()])),
  ];
}

/** Patterns of a `case` that are the words of all places. */
function pathsOf(places: readonly Place[]): string {
  return places
    .filter(({ words }) => words.length > 1)
    .map(({ words }) => words.join('/'))
    .join('|');
}

function bashScript(places: readonly Place[]): string {
  const cases = places.map(
    ({ words, offers, options, takesFiles }) =>
      `    ${words.join('/')}) words="${wordsOf(offers)}" options="${wordsOf(options)}"${takesFiles ? ' files=1' : ''} ;;`,
  );
  return `# source <(${NAME} completion bash)
_${NAME}() {
  local word words options files offered place=${NAME}
  local now="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$place/$word" in
      ${pathsOf(places)}) place="$place/$word" ;;
    esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  case "$place $now" in
    *' -'*) offered="$options" ;;
    *) offered="$words"; [ -n "$files" ] || offered="$words $options" ;;
  esac
  case "$place $before" in
${valuedOptions(places)
  .map(({ place, word, values }) => `    '${place} ${word}') offered="${values.join(' ')}" ;;`)
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$now"))
}
complete -o default -F _${NAME} ${NAME}`;
}

function zshScript(places: readonly Place[]): string {
  const described = (offers: readonly Offer[]) =>
    offers.map(({ word, description }) => quoted(`${word}:${description}`)).join(' ');
  const cases = places.map(
    ({ words, offers, options, takesFiles }) =>
      `    (${words.join('/')}) offered=(${described(offers)}) options=(${described(options)})${takesFiles ? ' files=1' : ''} ;;`,
  );
  return `#compdef ${NAME}
# source <(${NAME} completion zsh), after compinit
_${NAME}() {
  local word files place=${NAME} now="$words[CURRENT]" before="$words[CURRENT-1]"
  local -a offered options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place/$word" in
      (${pathsOf(places)}) place="$place/$word" ;;
    esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  [[ "$now" != -* && -n "$files" ]] || offered+=("\${options[@]}")
  case "$place $before" in
${valuedOptions(places)
  .map(({ place, word, values }) => `    ('${place} ${word}') offered=(${values.join(' ')}) ;;`)
  .join('\n')}
  esac
  _describe ${NAME} offered || _files
}
compdef _${NAME} ${NAME}`;
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ words, offers, options, takesFiles }) => {
    const begin = `complete -c ${NAME} -n ${quoted(`__${NAME}_at ${words.join('/')}`)}`;
    return [
      ...(takesFiles ? [`${begin} -F`] : []),
      ...offers.map(({ word, description }) => `${begin} -a ${word} -d ${fishQuoted(description)}`),
      ...options.map(
        ({ word, description, values }) =>
          `${begin} -l ${word.slice(2)} ${fishValues(values)}-d ${fishQuoted(description)}`,
      ),
    ];
  });
  return `# ${NAME} completion fish | source
function __${NAME}_at
  set -l place ${NAME}
  for word in (commandline -opc)[2..]
    switch "$place/$word"
      case ${pathsOf(places).replaceAll('|', ' ')}
        set place "$place/$word"
    end
  end
  test "$place" = "$argv[1]"
end
# No files, except where a command or an option takes one.
complete -c ${NAME} -f
${lines.join('\n')}`;
}

function fishValues(values: OfferedOption['values']): string {
  if (values === undefined) return '';
  return values.length === 0 ? '-r -F ' : `-x -a ${quoted(values.join(' '))} `;
}

function wordsOf(offers: readonly Offer[]): string {
  return offers.map(({ word }) => word).join(' ');
}

/** The options that take a value, and where. */
function valuedOptions(places: readonly Place[]) {
  return places.flatMap(({ words, options }) =>
    options.flatMap(({ word, values }) =>
      values === undefined ? [] : [{ place: words.join('/'), word, values }],
    ),
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
