// Loaded separately, because the list of events does not need it.
import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { SegmentedControl } from '@mantine/core';
import { useId } from 'react';
import { countUnchanged } from '../ui/diff.ts';
import { FieldDiff } from '../ui/FieldDiff.tsx';
import { Json } from '../ui/Json.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { formatCount } from '../ui/words.ts';
import { describeEventChanges } from './describe-changes.ts';
import s from './events.module.css';
import type { Event } from './queries.ts';
import { useSegmentNames } from './useSegmentNames.ts';

/** Shows the changed fields, or both states as JSON, depending on the URL. */
export function Changes({ event }: { event: Event }) {
  const { preData, data } = event;
  const { search, replace } = useFilters();
  const id = useId();
  const segmentNames = useSegmentNames(event);
  if (preData === null && data === null) return null;
  const isJson = search.as === 'json';
  const changes = describeEventChanges(event, segmentNames);
  const unchangedFields = preData && data ? countUnchanged(preData, data) : 0;
  return (
    <section aria-labelledby={id}>
      <div className={s.diffHead}>
        <h2 id={id} className={s.diffTitle}>
          {preData === null ? 'Created with' : data === null ? 'Deleted' : 'Changes'}
        </h2>
        <SegmentedControl
          value={isJson ? 'json' : 'fields'}
          onChange={value => replace({ as: value === 'json' ? 'json' : undefined })}
          data={[
            { value: 'fields', label: 'Fields' },
            { value: 'json', label: 'JSON' },
          ]}
          aria-label="Format of the change"
        />
      </div>
      {isJson ? (
        <div className={s.json}>
          {preData !== null && (
            <>
              <h3>Before</h3>
              <Json value={preData} label="Before" />
            </>
          )}
          {data !== null && (
            <>
              <h3>After</h3>
              <Json value={data} label="After" />
            </>
          )}
        </div>
      ) : (
        <>
          {changes.length > 0 && <FieldDiff changes={changes} />}
          {unchangedFields > 0 && <p className={s.note}>{formatCount(unchangedFields, 'unchanged field')}</p>}
        </>
      )}
    </section>
  );
}
