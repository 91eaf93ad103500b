/** `counterfoil completion`: scripts for shells, from the tree of commands. */
import { Argument, type Command } from 'commander';
import type { Session } from './session.ts';

const NAME = 'counterfoil';

/** What may follow the words of a command. */
interface Place {
  /** The words from the name of the program on. */
  readonly words: readonly string[];
  readonly offers: readonly Offer[];
}

interface Offer {
  readonly word: string;
  readonly description: string;
}

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
  const options = command.options.flatMap(({ long, description }) =>
    long == null ? [] : [{ word: long, description }],
  );
  const help = { word: '--help', description: 'display help for command' };
  return [
    { words, offers: [...commands, ...choices, ...options, help] },
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
    ({ words, offers }) =>
      `    ${words.join('/')}) offered="${offers.map(({ word }) => word).join(' ')}" ;;`,
  );
  return `# source <(${NAME} completion bash)
_${NAME}() {
  local word offered place=${NAME}
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$place/$word" in
      ${pathsOf(places)}) place="$place/$word" ;;
    esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${NAME} ${NAME}`;
}

function zshScript(places: readonly Place[]): string {
  const cases = places.map(({ words, offers }) => {
    const described = offers.map(({ word, description }) => quoted(`${word}:${description}`));
    return `    (${words.join('/')}) offered=(${described.join(' ')}) ;;`;
  });
  return `#compdef ${NAME}
# source <(${NAME} completion zsh), after compinit
_${NAME}() {
  local word place=${NAME}
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place/$word" in
      (${pathsOf(places)}) place="$place/$word" ;;
    esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  _describe ${NAME} offered || _files
}
compdef _${NAME} ${NAME}`;
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ words, offers }) =>
    offers.map(({ word, description }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      const when = quoted(`__${NAME}_at ${words.join('/')}`);
      return `complete -c ${NAME} -n ${when} ${what} -d ${fishQuoted(description)}`;
    }),
  );
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
${lines.join('\n')}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
