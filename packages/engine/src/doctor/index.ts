/** The doctor: examines the data of a host, for the command line and for programs. */
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
