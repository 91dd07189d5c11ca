import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Failure } from '../ui/Failure.tsx';
import { Json } from '../ui/Json.tsx';
import { Sentence } from '../ui/Sentence.tsx';
import { SidePanel } from '../ui/SidePanel.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Time } from '../ui/Time.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { formatCount } from '../ui/words.ts';
import { Headers } from './Headers.tsx';
import s from './integrations.module.css';
import { type Integration, previewQuery } from './queries.ts';

const DAYS = ['1', '7', '30', '90'];

/** Shows matching events of past days, and the request that would deliver one of them. Nothing is sent. */
export function PreviewPanel({ integration }: { integration: Integration }) {
  const { search, replace } = useFilters();
  const days = DAYS.find(value => value === search.days) ?? '7';
  const eventId = Number(search.eventId) || undefined;
  const { data, error, refetch } = useQuery(
    previewQuery(integration.id, { days: Number(days), ...(eventId === undefined ? {} : { eventId }) }),
  );
  const close = () => replace({ edit: undefined, days: undefined, eventId: undefined });
  return (
    <SidePanel title="Preview" wide onClose={close}>
      <div className={s.panel}>
        <NativeSelect
          label="Events in the last"
          value={days}
          data={DAYS.map(value => ({ value, label: formatCount(Number(value), 'day') }))}
          onChange={event => replace({ days: event.target.value, eventId: undefined })}
        />
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton rows={5} />}
        {data && (
          <>
            <p role="status">
              {formatCount(data.total, 'event matches', 'events match')}. Nothing is sent.
              {data.total > data.events.length && ` The newest ${data.events.length} are listed.`}
            </p>
            <ol className={s.events} aria-label="Matching events">
              {data.events.map(event => (
                <li key={event.id}>
                  <button
                    type="button"
                    aria-pressed={event.id === data.rendered?.eventId}
                    onClick={() => replace({ eventId: String(event.id) })}
                  >
                    <Sentence event={event} />
                    <Time at={event.createdAt} />
                  </button>
                </li>
              ))}
            </ol>
            {data.rendered?.problem && <p className={s.problem}>{data.rendered.problem}</p>}
            {data.rendered?.requests.map((request, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: requests have no identity and never reorder
              <section key={index} className={s.request} aria-label={`Request ${index + 1}`}>
                <h3 className="mono">POST {request.url}</h3>
                <Headers headers={request.headers} />
                <Json value={parseJson(request.body)} label="Body" />
                {request.isBodyCut && <p className="muted">The body is longer than shown.</p>}
              </section>
            ))}
          </>
        )}
      </div>
    </SidePanel>
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
