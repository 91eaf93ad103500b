/** The face of the doctor: examines what a host keeps, for the command line and for programs. */
export {
  type Examination,
  type ExaminationOptions,
  examine,
  NothingToExamine,
} from './examination.ts';
export {
  CHECKS,
  type Checked,
  type CheckName,
  type Finding,
  type Severity,
  type Verdict,
} from './finding.ts';
export { type BothBooks, checkGateway } from './gateway-books.ts';
export { type LogStreams, streamsOf } from './log-streams.ts';
