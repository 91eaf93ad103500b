/**
 * The rules of hadolint (https://github.com/hadolint/hadolint/wiki) that can apply to an image on
 * Debian with Node. The program itself comes neither from npm nor from Debian.
 */
import {
  type Dockerfile,
  DockerfileParser,
  From,
  type Instruction,
  JSONInstruction,
} from 'dockerfile-ast';

/** The words of one command of a shell. */
type Command = readonly string[];

interface Step {
  readonly keyword: string;
  readonly args: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
  /** Of RUN: what the shell executes, and whether one command reads another one's output. */
  readonly commands: readonly Command[];
  readonly pipes: boolean;
  readonly json: boolean;
}

interface Stage {
  readonly image: string;
  readonly name: string | undefined;
  readonly steps: readonly Step[];
}

interface Image {
  readonly comments: readonly string[];
  readonly before: readonly Step[];
  readonly stages: readonly Stage[];
  /** Of all stages. */
  readonly steps: readonly Step[];
  readonly commands: readonly Command[];
}

export interface Rule {
  readonly id: string;
  /** Breaks this rule and no other one. */
  readonly refused: string;
  readonly breaks: (image: Image) => boolean;
}

/** The ids of the rules that a Dockerfile breaks. */
export function broken(dockerfile: string): readonly string[] {
  const image = imageOf(DockerfileParser.parse(dockerfile));
  return RULES.filter(({ breaks }) => breaks(image)).map(({ id }) => id);
}

function imageOf(file: Dockerfile): Image {
  const before: Step[] = [];
  const stages: (Stage & { steps: Step[] })[] = [];
  for (const instruction of file.getInstructions()) {
    if (instruction instanceof From) {
      const name = instruction.getBuildStage() ?? undefined;
      stages.push({ image: instruction.getImage() ?? '', name, steps: [] });
    }
    (stages.at(-1)?.steps ?? before).push(stepOf(instruction));
  }
  const steps = stages.flatMap((stage) => stage.steps);
  const comments = file.getComments().map((comment) => comment.getContent() ?? '');
  return { comments, before, stages, steps, commands: steps.flatMap(({ commands }) => commands) };
}

function stepOf(instruction: Instruction): Step {
  const keyword = instruction.getKeyword();
  const json = instruction instanceof JSONInstruction && instruction.getOpeningBracket() !== null;
  const strings = json ? instruction.getJSONStrings().map((each) => each.getJSONValue()) : [];
  const args = json ? strings : instruction.getArguments().map((each) => each.getValue());
  const flags =
    'getFlags' in instruction
      ? (instruction as JSONInstruction)
          .getFlags()
          .map((flag) => [flag.getName(), flag.getValue() ?? ''])
      : [];
  const shell = keyword === 'RUN' && !json ? args.join(' ') : '';
  const commands = json && keyword === 'RUN' ? [strings] : commandsOf(shell);
  const pipes = /(?<!\|)\|(?!\|)/.test(withoutQuoted(shell));
  return { keyword, args, flags: Object.fromEntries(flags), commands, pipes, json };
}

function withoutQuoted(shell: string): string {
  return shell.replaceAll(/'[^']*'|"[^"]*"/g, 'quoted');
}

function commandsOf(shell: string): readonly Command[] {
  return withoutQuoted(shell)
    .split(/&&|\|\|?|;/)
    .map((command) => command.trim().split(/\s+/))
    .filter(([program]) => program !== '');
}

const of = (steps: readonly Step[], keyword: string) =>
  steps.filter((step) => step.keyword === keyword);
const isFlag = (word: string) => word.startsWith('-');

/** What a package manager is told to install, of each command that does. */
function installed(
  image: Image,
  manager: string,
  verbs = ['install'],
): readonly (readonly string[])[] {
  return image.commands
    .filter(
      ([program, ...words]) => program === manager && words.some((word) => verbs.includes(word)),
    )
    .map((words) => words.slice(words.findIndex((word) => verbs.includes(word)) + 1))
    .map((words) => words.filter((word) => !isFlag(word)));
}

function runs(image: Image, ...programs: readonly string[]): boolean {
  return image.commands.some(([program = '']) => programs.includes(program));
}

function aptInstalls(image: Image): readonly Command[] {
  return image.commands.filter(
    ([program, ...words]) => program === 'apt-get' && words.includes('install'),
  );
}

function stagesBefore(image: Image, stage: Stage): readonly Stage[] {
  return image.stages.slice(0, image.stages.indexOf(stage));
}

/** The steps of a stage after those of the stages that it is built on. */
function inherited(image: Image, stage: Stage): readonly Step[] {
  const parent = stagesBefore(image, stage).find(({ name }) => name === stage.image);
  return [...(parent === undefined ? [] : inherited(image, parent)), ...stage.steps];
}

/** Whether some step is copied from a place that is wrong by `isWrong`. */
function copiesFrom(image: Image, isWrong: (from: string, stage: Stage) => boolean): boolean {
  return image.stages.some((stage) =>
    of(stage.steps, 'COPY').some(
      ({ flags: { from } }) => from !== undefined && isWrong(from, stage),
    ),
  );
}

const isUrl = (source: string) => /^https?:|^git@/.test(source);
const isArchive = (source: string) => /\.(tar|tgz|gz|bz2|xz|zst|Z)$/.test(source);
const isAbsolute = (path: string) => /^["']?[/$]/.test(path);
const isPinned = (name: string) => /.@./.test(name) || /^[./]|:\/\//.test(name);

const BASE = 'FROM node:24\n';
const APT = `${BASE}RUN apt-get update && apt-get install`;
const APT_END = '&& rm -rf /var/lib/apt/lists/*';

export const RULES: readonly Rule[] = [
  {
    id: 'DL1001', // nothing is ignored
    refused: `${BASE}# hadolint ignore=DL3002\nUSER node`,
    breaks: ({ comments }) => comments.some((comment) => comment.includes('hadolint')),
  },
  {
    id: 'DL3000', // absolute WORKDIR
    refused: `${BASE}WORKDIR app`,
    breaks: ({ steps }) => of(steps, 'WORKDIR').some(({ args: [path = ''] }) => !isAbsolute(path)),
  },
  {
    id: 'DL3001', // what has no meaning in a container
    refused: `${BASE}RUN service cron start`,
    breaks: (image) =>
      runs(image, 'free', 'kill', 'mount', 'ps', 'service', 'shutdown', 'ssh', 'top', 'vim'),
  },
  {
    id: 'DL3002', // last user not root
    refused: `${BASE}USER node\nUSER root`,
    breaks: ({ stages }) =>
      stages.some(({ steps }) => /^(root|0)(:|$)/.test(of(steps, 'USER').at(-1)?.args[0] ?? '')),
  },
  {
    id: 'DL3003', // WORKDIR instead of cd
    refused: `${BASE}RUN cd /app && make`,
    breaks: (image) => runs(image, 'cd'),
  },
  {
    id: 'DL3004', // no sudo
    refused: `${BASE}RUN sudo make`,
    breaks: (image) => runs(image, 'sudo'),
  },
  {
    id: 'DL3006', // the tag of an image
    refused: 'FROM node',
    breaks: (image) =>
      image.stages.some(
        (stage) =>
          !/[:@$]|^scratch$/.test(stage.image.split('/').at(-1) ?? '') &&
          !stagesBefore(image, stage).some(({ name }) => name === stage.image),
      ),
  },
  {
    id: 'DL3007', // not latest
    refused: 'FROM node:latest',
    breaks: ({ stages }) => stages.some(({ image }) => image.endsWith(':latest')),
  },
  {
    id: 'DL3008', // versions of Debian's packages
    refused: `${APT} -y --no-install-recommends git ${APT_END}`,
    breaks: (image) =>
      installed(image, 'apt-get').some((names) => names.some((name) => !/=|\.deb$/.test(name))),
  },
  {
    id: 'DL3009', // no lists of Debian's packages
    refused: `${APT} -y --no-install-recommends git=1`,
    breaks: ({ steps }) =>
      steps.some(
        ({ commands }) =>
          commands.some((words) => words[0] === 'apt-get' && words.includes('update')) &&
          !commands.some(
            (words) =>
              words[0] === 'rm' && words.some((word) => word.startsWith('/var/lib/apt/lists')),
          ),
      ),
  },
  {
    id: 'DL3010', // ADD unpacks an archive
    refused: `${BASE}COPY app.tgz /app/`,
    breaks: ({ steps }) =>
      of(steps, 'COPY').some(
        ({ args, flags }) => !('from' in flags) && args.slice(0, -1).some(isArchive),
      ),
  },
  {
    id: 'DL3011', // valid ports
    refused: `${BASE}EXPOSE 80000`,
    breaks: ({ steps }) =>
      of(steps, 'EXPOSE').some(({ args }) =>
        args.some((port) => Number.parseInt(port, 10) > 65_535),
      ),
  },
  {
    id: 'DL3012', // one HEALTHCHECK
    refused: `${BASE}HEALTHCHECK NONE\nHEALTHCHECK NONE`,
    breaks: ({ stages }) => stages.some(({ steps }) => of(steps, 'HEALTHCHECK').length > 1),
  },
  {
    id: 'DL3014', // nobody answers a question
    refused: `${APT} --no-install-recommends git=1 ${APT_END}`,
    breaks: (image) =>
      aptInstalls(image).some(
        (words) => !words.some((word) => /^(-y|-\w*y\w*|-qq|--yes|--assume-yes)$/.test(word)),
      ),
  },
  {
    id: 'DL3015', // only what is named
    refused: `${APT} -y git=1 ${APT_END}`,
    breaks: (image) =>
      aptInstalls(image).some((words) => !words.includes('--no-install-recommends')),
  },
  {
    id: 'DL3016', // versions of npm's packages
    refused: `${BASE}RUN npm install -g pnpm`,
    breaks: (image) =>
      installed(image, 'npm', ['install', 'i', 'add']).some((names) =>
        names.some((name) => !isPinned(name)),
      ),
  },
  {
    id: 'DL3018', // versions of Alpine's packages
    refused: `${BASE}RUN apk --no-cache add git`,
    breaks: (image) =>
      installed(image, 'apk', ['add']).some((names) => names.some((name) => !/[=~]/.test(name))),
  },
  {
    id: 'DL3019', // no index of Alpine's packages
    refused: `${BASE}RUN apk add git=1`,
    breaks: ({ commands }) =>
      commands.some(
        (words) => words[0] === 'apk' && words.includes('add') && !words.includes('--no-cache'),
      ),
  },
  {
    id: 'DL3020', // COPY for files and folders
    refused: `${BASE}ADD src /app/`,
    breaks: ({ steps }) =>
      of(steps, 'ADD').some(({ args }) =>
        args.slice(0, -1).some((source) => !isUrl(source) && !isArchive(source)),
      ),
  },
  {
    id: 'DL3021', // several files go into a folder
    refused: `${BASE}COPY one two /app`,
    breaks: ({ steps }) =>
      of(steps, 'COPY').some(({ args }) => args.length > 2 && !/\/$|^\.$/.test(args.at(-1) ?? '')),
  },
  {
    id: 'DL3022', // copy from a stage that is there, or from an image with a tag
    refused: `${BASE}COPY --from=build /app /app`,
    breaks: (image) =>
      copiesFrom(
        image,
        (from, stage) =>
          !from.includes(':') &&
          stage.name !== from &&
          !stagesBefore(image, stage).some(
            ({ name }, index) => from === name || from === String(index),
          ),
      ),
  },
  {
    id: 'DL3023', // not from oneself
    refused: 'FROM node:24 AS build\nCOPY --from=build /app /app',
    breaks: (image) => copiesFrom(image, (from, { name }) => from === name),
  },
  {
    id: 'DL3024', // a name is of one stage
    refused: 'FROM node:24 AS build\nFROM node:24 AS build',
    breaks: ({ stages }) => {
      const names = stages.flatMap(({ name }) => name ?? []);
      return new Set(names).size < names.length;
    },
  },
  {
    id: 'DL3025', // signals reach the program, not a shell
    refused: `${BASE}CMD node main.js`,
    breaks: ({ steps }) =>
      [...of(steps, 'CMD'), ...of(steps, 'ENTRYPOINT')].some(({ json }) => !json),
  },
  {
    id: 'DL3027', // apt is for people
    refused: `${BASE}RUN apt list`,
    breaks: (image) => runs(image, 'apt'),
  },
  {
    id: 'DL3029', // the platform is the builder's choice
    refused: 'FROM --platform=linux/amd64 node:24',
    breaks: ({ steps }) =>
      of(steps, 'FROM').some(({ flags: { platform = '$' } }) => !platform.startsWith('$')),
  },
  {
    id: 'DL3042', // no cache of Python's packages
    refused: `${BASE}RUN pip install tool==1`,
    breaks: ({ commands }) =>
      commands.some(
        ([program = '', ...words]) =>
          /^pip3?$/.test(program) && words.includes('install') && !words.includes('--no-cache-dir'),
      ),
  },
  {
    id: 'DL3043', // what ONBUILD cannot do
    refused: `${BASE}ONBUILD FROM node:24`,
    breaks: ({ steps }) =>
      of(steps, 'ONBUILD').some(({ args: [first = ''] }) =>
        /^(ONBUILD|FROM|MAINTAINER)$/i.test(first),
      ),
  },
  {
    id: 'DL3044', // a variable of the same ENV has no value yet
    refused: `${BASE}ENV DATA=/data FILES=$DATA/files`,
    breaks: ({ steps }) =>
      of(steps, 'ENV').some(({ args }) =>
        args.some((pair) => {
          const name = pair.split('=')[0] ?? '';
          return args.some((each) => new RegExp(`\\$\\{?${name}\\b`).test(each));
        }),
      ),
  },
  {
    id: 'DL3045', // COPY to a relative place needs a WORKDIR
    refused: `${BASE}COPY src app/`,
    breaks: (image) =>
      image.stages.some((stage) => {
        const steps = inherited(image, stage);
        const first = steps.findIndex(({ keyword }) => keyword === 'WORKDIR');
        return of(first === -1 ? steps : steps.slice(0, first), 'COPY').some(
          ({ args }) => !isAbsolute(args.at(-1) ?? ''),
        );
      }),
  },
  {
    id: 'DL3059', // consecutive RUNs are one layer
    refused: `${BASE}RUN make\nRUN make install`,
    breaks: ({ steps }) =>
      steps.some(({ keyword }, index) => keyword === 'RUN' && steps[index + 1]?.keyword === 'RUN'),
  },
  {
    id: 'DL3060', // no cache of yarn
    refused: `${BASE}RUN yarn install`,
    breaks: ({ steps }) =>
      steps.some(
        ({ commands }) =>
          commands.some(([program, verb]) => program === 'yarn' && verb === 'install') &&
          !commands.some((words) => words.join(' ') === 'yarn cache clean'),
      ),
  },
  {
    id: 'DL3061', // FROM or ARG is first
    refused: `LABEL a=b\n${BASE}`,
    breaks: ({ before }) => before.some(({ keyword }) => keyword !== 'ARG'),
  },
  {
    id: 'DL4000', // MAINTAINER is deprecated
    refused: `${BASE}MAINTAINER someone`,
    breaks: ({ steps }) => of(steps, 'MAINTAINER').length > 0,
  },
  {
    id: 'DL4001', // either wget or curl
    refused: `${BASE}RUN wget a && curl b`,
    breaks: (image) => runs(image, 'wget') && runs(image, 'curl'),
  },
  {
    id: 'DL4003', // one CMD
    refused: `${BASE}CMD ["a"]\nCMD ["b"]`,
    breaks: ({ stages }) => stages.some(({ steps }) => of(steps, 'CMD').length > 1),
  },
  {
    id: 'DL4004', // one ENTRYPOINT
    refused: `${BASE}ENTRYPOINT ["a"]\nENTRYPOINT ["b"]`,
    breaks: ({ stages }) => stages.some(({ steps }) => of(steps, 'ENTRYPOINT').length > 1),
  },
  {
    id: 'DL4005', // SHELL chooses the shell
    refused: `${BASE}RUN ln -sf /bin/bash /bin/sh`,
    breaks: ({ commands }) =>
      commands.some((words) => words[0] === 'ln' && words.includes('/bin/sh')),
  },
  {
    id: 'DL4006', // a pipe fails with each of its commands
    refused: `${BASE}RUN make | tee log`,
    breaks: (image) =>
      image.stages.some(({ steps }) =>
        steps.some(
          ({ pipes }, index) =>
            pipes &&
            !of(steps.slice(0, index), 'SHELL').at(-1)?.args.join(' ').includes('pipefail'),
        ),
      ),
  },
];
