/** What operators do, in the activity of their own tenant: the host is nobody's. */
import { Refusal } from '../../http/errors.ts';
import type { Visit } from '../slice.ts';

const FIRST_SERVER_ERROR = 500;

interface Act {
  /** As the activity names it: `operations.rebuild`. */
  readonly action: string;
  readonly subject: string | null;
}

/** Runs it, and records what became of it. */
export async function recorded<Answer>(
  { context, services, tenantId, environment, user }: Visit,
  act: Act,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const { requestId, remoteAddress = null } = context;
  const by = { actor: user.email, keyId: null, requestId, remoteAddress };
  const record = (outcome: 'done' | 'refused' | 'failed', code: string | null) =>
    services.operations.activity.record(
      { tenantId, environment },
      { ...by, ...act, outcome, code },
    );
  try {
    const answer = await run();
    await record('done', null);
    return answer;
  } catch (error) {
    const refusal = error instanceof Refusal ? error : services.refusalOf(error);
    const isRefused = refusal !== undefined && refusal.status < FIRST_SERVER_ERROR;
    await record(isRefused ? 'refused' : 'failed', refusal?.code ?? null);
    throw error;
  }
}
