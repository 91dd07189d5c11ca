import { Minus, Plus } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { loadChunk } from '../api/chunks.ts';
import { quoteText } from './caller-text.ts';
import { type Change, describePath, formatValue, isConstraintValue } from './diff.ts';
import s from './FieldDiff.module.css';

const ConstraintText = lazy(() =>
  loadChunk(() => import('../features/ConstraintText.tsx')).then(module => ({
    default: module.ConstraintText,
  })),
);

/** Shows an event's changes, as returned by `computeChanges(preData, data)`, with a line for each field. */
export function FieldDiff({ changes }: { changes: readonly Change[] }) {
  return (
    <dl className={s.diff}>
      {changes.map(change => (
        <div key={change.path.join('.')}>
          <dt title={change.path.join('.')}>{describePath(change.path)}</dt>
          <dd>{change.kind === 'items' ? <Items change={change} /> : <Values change={change} />}</dd>
        </div>
      ))}
    </dl>
  );
}

type ItemsChange = Extract<Change, { kind: 'items' }>;
type ValueChange = Exclude<Change, ItemsChange>;
const MAX_ITEMS = 100;

function Items({ change: { items } }: { change: ItemsChange }) {
  // Changed values come first, because a list may have thousands of unchanged values.
  const orderedItems = items.toSorted((a, b) => Number(a.kind === 'same') - Number(b.kind === 'same'));
  return (
    <>
      {orderedItems.slice(0, MAX_ITEMS).map(({ text, kind }) => (
        <span key={`${kind} ${text}`} className={s.value} data-kind={kind}>
          {kind === 'added' && <Plus size={11} aria-label="added" />}
          {kind === 'removed' && <Minus size={11} aria-label="removed" />}
          {quoteText(text)}
        </span>
      ))}
      {orderedItems.length > MAX_ITEMS && (
        <span className="muted">and {orderedItems.length - MAX_ITEMS} more</span>
      )}
    </>
  );
}

function Values({ change: { path, kind, before, after } }: { change: ValueChange }) {
  return (
    <>
      {kind !== 'added' && (
        <del className={s.value} data-kind="removed">
          <Value value={before} path={path} />
        </del>
      )}
      {kind === 'changed' && (
        <span className={s.arrow} aria-hidden="true">
          →
        </span>
      )}
      {kind !== 'removed' && (
        <ins className={s.value} data-kind="added">
          <Value value={after} path={path} />
        </ins>
      )}
    </>
  );
}

function Value({ value, path }: { value: unknown; path: readonly string[] }) {
  const text = formatValue(value, path);
  if (!isConstraintValue(value)) return text;
  return (
    <Suspense fallback={text}>
      <ConstraintText value={value}>{text}</ConstraintText>
    </Suspense>
  );
}
