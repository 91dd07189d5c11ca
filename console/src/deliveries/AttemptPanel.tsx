import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { SegmentedControl } from '@mantine/core';
import { Headers } from '../integrations/Headers.tsx';
import { CopyButton } from '../ui/Copy.tsx';
import { Json } from '../ui/Json.tsx';
import { Time } from '../ui/Time.tsx';
import { formatDuration } from '../ui/time.ts';
import { useFilters } from '../ui/useFilters.ts';
import s from './deliveries.module.css';
import type { Attempt, DeliveryWithAttempts } from './queries.ts';
import { formatStatus, getAttemptTone } from './words.ts';

const PARTS = ['response', 'request', 'event'] as const;
type Part = (typeof PARTS)[number];

/** Shows the response, the request or the event of an attempt. `?show=request` in the URL selects the request. */
export function AttemptPanel({
  delivery,
  attempt,
}: {
  delivery: DeliveryWithAttempts;
  attempt: Attempt | undefined;
}) {
  const { search, replace } = useFilters();
  const part = PARTS.find(value => value === search.show) ?? (attempt ? 'response' : 'event');
  return (
    <>
      {attempt && <Facts attempt={attempt} />}
      <section className={s.panel} aria-label={`Content: ${part}`}>
        <div className={s.panelTop}>
          <SegmentedControl
            aria-label="Part of the attempt"
            value={part}
            data={PARTS.map(value => ({ value, label: value.charAt(0).toUpperCase() + value.slice(1) }))}
            onChange={show => replace({ show: show === 'response' ? undefined : show })}
          />
          <span className={s.kind}>{getPartKind(part, delivery, attempt)}</span>
          <CopyButton text={getPartText(part, delivery, attempt)} label={`Copy ${part}`} size={14} />
        </div>
        {part === 'response' && <Response attempt={attempt} />}
        {part === 'request' && <Request delivery={delivery} attempt={attempt} />}
        {part === 'event' && <Json value={delivery.event} label="Event" />}
      </section>
    </>
  );
}

function Facts({ attempt }: { attempt: Attempt }) {
  const tone = getAttemptTone(attempt);
  return (
    <dl className={s.facts}>
      <div>
        <dt>Attempt {attempt.number}</dt>
        <dd>
          <Time at={attempt.startedAt} format="clock" />
        </dd>
      </div>
      <div>
        <dt>Response</dt>
        <dd data-tone={tone}>{formatStatus(attempt.status)}</dd>
      </div>
      <div>
        <dt>Duration</dt>
        <dd>{attempt.durationMs === null ? 'running' : formatDuration(attempt.durationMs)}</dd>
      </div>
      <div>
        <dt>IP address</dt>
        <dd className="mono">{attempt.address ?? '–'}</dd>
      </div>
    </dl>
  );
}

function Response({ attempt }: { attempt: Attempt | undefined }) {
  if (!attempt) return <p className={s.none}>No attempt yet.</p>;
  const { error, status, headers, response } = attempt;
  return (
    <>
      {error && <p className={s.none}>{error}</p>}
      {status === null && !error && <p className={s.none}>The receiver sent no response.</p>}
      {headers && <Headers headers={Object.entries(headers).map(([name, value]) => ({ name, value }))} />}
      {response ? (
        <Json value={parseIfJson(response)} label="Response body" />
      ) : (
        status !== null && <p className={s.none}>No response body was stored.</p>
      )}
    </>
  );
}

function Request({ delivery, attempt }: { delivery: DeliveryWithAttempts; attempt: Attempt | undefined }) {
  const { url, body = delivery.details } = delivery.details;
  return (
    <>
      <Headers
        headers={[
          ...(typeof url === 'string' ? [{ name: 'to', value: url }] : []),
          ...(attempt?.requestHeaders ?? []),
        ]}
      />
      <Json value={typeof body === 'string' ? parseIfJson(body) : body} label="Request body" />
    </>
  );
}

const getPartKind = (part: Part, delivery: DeliveryWithAttempts, attempt: Attempt | undefined): string =>
  part === 'event'
    ? delivery.event.type
    : part === 'request'
      ? 'POST'
      : attempt?.status == null
        ? (attempt?.outcome ?? '')
        : `HTTP ${attempt.status}`;

const getPartText = (part: Part, delivery: DeliveryWithAttempts, attempt: Attempt | undefined): string =>
  part === 'response'
    ? (attempt?.response ?? attempt?.error ?? '')
    : JSON.stringify(
        part === 'event' ? delivery.event : (delivery.details.body ?? delivery.details),
        null,
        2,
      );

function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
