/** What promtool refuses of alert rules, and names in them that the host does not have. */
import { parser } from '@prometheus-io/lezer-promql';
import { load } from 'js-yaml';
import { z } from 'zod';

/** The labels of each metric of a host; undefined where it has no sample yet. */
export type Exposed = ReadonlyMap<string, ReadonlySet<string> | undefined>;

/** Given to every sample by Prometheus itself. */
const TARGET_LABELS = ['job', 'instance'];
/** Metrics that it makes. */
const OF_PROMETHEUS: Exposed = new Map([['up', new Set<string>()]]);

const LABEL = /^[a-zA-Z_]\w*$/;
/** https://prometheus.io/docs/prometheus/latest/querying/basics/#float-literals-and-time-durations */
const DURATION = /^(?=\d)(\d+y)?(\d+w)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?$/;
/** https://prometheus.io/docs/prometheus/latest/configuration/template_reference/ */
const FUNCTIONS = new Set([
  ...['query', 'first', 'label', 'value', 'sortByLabel', 'strvalue'],
  ...['humanize', 'humanize1024', 'humanizeDuration', 'humanizePercentage', 'humanizeTimestamp'],
  ...['toTime', 'title', 'toUpper', 'toLower', 'stripPort', 'stripDomain', 'match', 'reReplaceAll'],
  ...['graphLink', 'tableLink', 'parseDuration', 'pathPrefix', 'externalURL', 'safeHtml', 'args'],
  ...['and', 'or', 'not', 'len', 'index', 'slice', 'print', 'printf', 'println', 'urlquery'],
]);
const VARIABLES = /^\$(value|labels\.\w+|externalLabels\.\w+|externalURL)$/;

const labels = <Value extends z.ZodType>(value: Value) =>
  z.record(z.string().regex(LABEL, { error: ({ input }) => `no label: ${input}` }), value);

const Rules = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string().min(1),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          labels: labels(z.string()),
          annotations: labels(z.string()),
        }),
      ),
    }),
  ),
});
type Rule = z.infer<typeof Rules>['groups'][number]['rules'][number];

/** The metrics of an answer of `/metrics`. */
export function exposedIn(answer: string): Exposed {
  const exposed = new Map<string, Set<string> | undefined>();
  for (const [, name = ''] of answer.matchAll(/^# TYPE (\S+)/gm)) exposed.set(name, undefined);
  for (const [, name = '', written = ''] of answer.matchAll(/^(\w+)(?:\{(.*)\})? /gm)) {
    const metric = metricOf(name);
    const known = exposed.get(metric) ?? new Set();
    for (const [, label = ''] of written.matchAll(/(\w+)="/g)) known.add(label);
    exposed.set(metric, known);
  }
  return exposed;
}

const metricOf = (name: string) => name.replace(/_(bucket|count|sum)$/, '');

export function faultsOfAlerts(yaml: string, exposed: Exposed): readonly string[] {
  const parsed = Rules.safeParse(load(yaml));
  if (!parsed.success) return [z.prettifyError(parsed.error)];
  const rules = parsed.data.groups.flatMap((group) => group.rules);
  const names = rules.map(({ alert }) => alert);
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  return [
    ...repeated.map((name) => `${name} is there twice`),
    ...rules.flatMap((rule) =>
      faultsOfRule(rule, exposed).map((fault) => `${rule.alert}: ${fault}`),
    ),
  ];
}

function faultsOfRule(rule: Rule, exposed: Exposed): readonly string[] {
  const faults = [...faultsOfExpression(rule.expr, exposed)];
  if (!/^Counterfoil[A-Z]\w+$/.test(rule.alert)) faults.push(`no name: ${rule.alert}`);
  if (rule.for !== undefined && !DURATION.test(rule.for)) faults.push(`no duration: ${rule.for}`);
  if (!/^(warning|critical)$/.test(rule.labels['severity'] ?? '')) faults.push('no severity');
  if ((rule.annotations['summary'] ?? '').length < 10) faults.push('no summary');
  const kept = labelsOf(rule.expr, exposed);
  for (const text of [...Object.values(rule.labels), ...Object.values(rule.annotations)]) {
    faults.push(...faultsOfTemplate(text, kept));
  }
  return faults;
}

interface Selected {
  readonly metrics: readonly string[];
  /** Pairs of a metric and a label that it is selected by. */
  readonly matchers: readonly (readonly [metric: string, label: string])[];
  readonly errors: number;
  /** Labels that an aggregation leaves; undefined where there is none. */
  readonly grouping: readonly string[] | undefined;
}

/** What an expression of PromQL names. */
function selectedBy(expression: string): Selected {
  const metrics: string[] = [];
  const matchers: (readonly [string, string])[] = [];
  let errors = 0;
  let grouping: string[] | undefined;
  parser.parse(expression).iterate({
    enter({ type, name, from, to, node }) {
      const text = expression.slice(from, to);
      const parent = node.parent?.name;
      if (type.isError) errors += 1;
      if (name === 'AggregateExpr') grouping ??= [];
      if (name === 'LabelName' && parent === 'GroupingLabels') grouping?.push(text);
      if (name === 'Identifier' && parent === 'VectorSelector') metrics.push(metricOf(text));
      if (name === 'LabelName' && parent !== 'GroupingLabels') {
        matchers.push([metrics.at(-1) ?? '', text]);
      }
    },
  });
  return { metrics, matchers, errors, grouping };
}

/** Of an expression that neither names what is not there nor cannot be read: none. */
export function faultsOfExpression(expression: string, exposed: Exposed): readonly string[] {
  const { metrics, matchers, errors } = selectedBy(expression);
  if (errors > 0) return [`no PromQL: ${expression}`];
  if (metrics.length === 0) return [`no metric: ${expression}`];
  const known = new Map([...exposed, ...OF_PROMETHEUS]);
  const unknown = metrics.filter((name) => !known.has(name)).map((name) => `no metric ${name}`);
  const otherLabels = matchers
    .filter(([metric, label]) => !hasLabel(known.get(metric), label))
    .map(([metric, label]) => `${metric} has no label ${label}`);
  return [...unknown, ...otherLabels];
}

function hasLabel(known: ReadonlySet<string> | undefined, label: string): boolean {
  return TARGET_LABELS.includes(label) || known === undefined || known.has(label) || label === 'le';
}

/** Whether samples of the expression have the label. */
function labelsOf(expression: string, exposed: Exposed): (label: string) => boolean {
  const { metrics, grouping } = selectedBy(expression);
  return (label) =>
    grouping === undefined
      ? metrics.every((metric) => hasLabel(exposed.get(metric), label))
      : grouping.includes(label);
}

function faultsOfTemplate(text: string, has: (label: string) => boolean): readonly string[] {
  const rest = text.replaceAll(/\{\{.*?\}\}/g, '');
  const faults = /\{\{|\}\}/.test(rest) ? [`a template is not closed: ${text}`] : [];
  for (const [, action = ''] of text.matchAll(/\{\{-?(.*?)-?\}\}/g)) {
    const words = action
      .replaceAll(/"[^"]*"/g, '')
      .split(/[\s|()]+/)
      .filter((word) => word !== '');
    for (const word of words) {
      const label = /^\$labels\.(\w+)$/.exec(word)?.[1];
      const isKnown = word.startsWith('$') ? VARIABLES.test(word) : FUNCTIONS.has(word);
      const isNumber = /^-?\d+(\.\d+)?$/.test(word);
      if (!isKnown && !isNumber) faults.push(`templates have no ${word}`);
      if (label !== undefined && !has(label)) faults.push(`samples have no label for ${word}`);
    }
  }
  return faults;
}
