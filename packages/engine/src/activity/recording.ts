/** Records the calls of callers in this process, each before it returns. */
import type { Acting } from '../acting.ts';
import { refusalOf } from '../failures.ts';
import type { RecordedCall } from '../recorded-calls.ts';
import { Refused } from '../refusal.ts';
import { type Activity, subjectText } from './activity.ts';
import type { ActivityLog } from './activity-log.ts';

export type Performer = Pick<Acting, 'tenantId' | 'environment' | 'caller' | 'remoteAddress'>;

/** Runs a call of a part, and records what became of it. */
export async function recordedRun<Answer>(
  activity: ActivityLog,
  { caller, remoteAddress, ...owner }: Performer,
  part: string,
  call: RecordedCall<Answer>,
): Promise<Answer> {
  const { actor, keyId = null, requestId = null } = caller;
  const record = (became: Pick<Activity, 'subject' | 'outcome' | 'code'>) =>
    activity.record(owner, {
      actor,
      keyId,
      requestId,
      action: `${part}.${call.name}`,
      remoteAddress: remoteAddress ?? null,
      ...became,
    });
  let answer: Answer;
  try {
    answer = await call.run();
  } catch (error) {
    const refusal = error instanceof Refused ? error : refusalOf(error);
    const isRefused = refusal !== undefined && !refusal.isTransient;
    // What does not fit its schema may be anything.
    const isRead = refusal?.code !== 'InputInvalid';
    await record({
      subject: isRead ? subjectText(call.subject()) : null,
      outcome: isRefused ? 'refused' : 'failed',
      code: refusal?.code ?? null,
    });
    throw error;
  }
  await record({ subject: subjectText(call.subject(answer)), outcome: 'done', code: null });
  return answer;
}
