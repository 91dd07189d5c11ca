import s from './Problems.module.css';
import { describeProblems } from './problems.ts';

/** Says next to a disabled button what the user must do first. Not in red, because every new form is incomplete. */
export function Problems({ problems }: { problems: readonly string[] }) {
  return (
    <span className={s.problems} role="status">
      {describeProblems(problems)}
    </span>
  );
}
