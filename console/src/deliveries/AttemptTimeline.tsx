import { Check, X } from 'lucide-react';
import { formatDuration, formatInZone } from '../ui/time.ts';
import s from './deliveries.module.css';
import type { Attempt, DeliveryWithAttempts } from './queries.ts';
import { formatResult, formatShortResult, getAttemptTone, getCurrentRun, type Schedule } from './words.ts';

const TIME_FORMAT = { hour: '2-digit', minute: '2-digit' } as const;

/** Shows the past attempts, the next attempt, and the attempts that would follow in the schedule. */
export function AttemptTimeline({
  delivery,
  schedule,
  chosenNumber,
  onChoose,
}: {
  delivery: DeliveryWithAttempts;
  schedule: Schedule;
  chosenNumber: number | undefined;
  onChoose(number: number): void;
}) {
  const run = getCurrentRun(delivery, schedule);
  const earlierAttempts = delivery.attemptList.filter(attempt => !run.includes(attempt));
  const isOpen = delivery.state === 'pending' || delivery.state === 'retrying';
  const slots = Math.max(schedule.length, run.length);
  return (
    <>
      {earlierAttempts.length > 0 && (
        <EarlierAttempts attempts={earlierAttempts} chosenNumber={chosenNumber} onChoose={onChoose} />
      )}
      <ol className={s.track} aria-label="Attempts" data-slots={slots}>
        {Array.from({ length: slots }, (_, slot) => (
          <Slot
            // biome-ignore lint/suspicious/noArrayIndexKey: the position in the schedule is the identity
            key={slot}
            attempt={run[slot]}
            number={slot + 1}
            wait={slot === 0 ? 'immediately' : formatDuration((schedule[slot] ?? 0) * 1000)}
            nextAt={isOpen && slot === run.length ? delivery.nextAttemptAt : undefined}
            isChosen={run[slot]?.number === chosenNumber}
            onChoose={onChoose}
          />
        ))}
      </ol>
    </>
  );
}

function Slot({
  attempt,
  number,
  wait,
  nextAt,
  isChosen,
  onChoose,
}: {
  attempt: Attempt | undefined;
  number: number;
  wait: string;
  /** For the next attempt, its time, or null if it waits for something other than a time. Undefined for all other attempts. */
  nextAt: string | null | undefined;
  isChosen: boolean;
  onChoose(number: number): void;
}) {
  if (!attempt) {
    const isNext = nextAt !== undefined;
    const time = nextAt ? formatInZone(nextAt, TIME_FORMAT) : '';
    return (
      <li data-tone={isNext ? 'next' : 'later'}>
        <i role="img" aria-label={isNext ? `Attempt ${number} is next` : `Attempt ${number} would follow`} />
        <b>{time}</b>
        <small>{wait}</small>
      </li>
    );
  }
  const tone = getAttemptTone(attempt);
  const result = formatResult(attempt);
  return (
    <li data-tone={tone} data-chosen={(attempt && isChosen) || undefined}>
      <button
        type="button"
        aria-label={`Attempt ${attempt.number}: ${result}`}
        aria-pressed={isChosen}
        onClick={() => onChoose(attempt.number)}
      >
        {tone === 'on' && <Check size={11} strokeWidth={3.2} aria-hidden="true" />}
        {tone === 'bad' && <X size={11} strokeWidth={3.2} aria-hidden="true" />}
      </button>
      <b data-word={attempt.status === null || undefined}>
        {formatShortResult(attempt.status, attempt.outcome, attempt.error) || 'running'}
      </b>
      <small>{wait}</small>
    </li>
  );
}

/** Shows interrupted attempts and attempts from before a redelivery. */
function EarlierAttempts({
  attempts,
  chosenNumber,
  onChoose,
}: {
  attempts: Attempt[];
  chosenNumber: number | undefined;
  onChoose(number: number): void;
}) {
  return (
    <p className={s.earlier}>
      Earlier attempts
      {attempts.map(attempt => (
        <button
          key={attempt.number}
          type="button"
          data-tone={getAttemptTone(attempt)}
          aria-pressed={attempt.number === chosenNumber}
          onClick={() => onChoose(attempt.number)}
        >
          {attempt.number} · {formatResult(attempt)}
        </button>
      ))}
    </p>
  );
}
