import { Minus, Plus } from 'lucide-react';
import { briefChanges, type Change, labelOf, wordsOf } from './diff.ts';
import s from './FieldDiff.module.css';

/** The changes of an event, one line per field. Get them with `changesOf(preData, data)`. */
export function FieldDiff({ changes }: { changes: readonly Change[] }) {
  return (
    <dl className={s.diff}>
      {changes.map(change => (
        <div key={change.path.join('.')}>
          <dt title={change.path.join('.')}>{labelOf(change.path)}</dt>
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
  // Changed values first, because a list may have thousands of unchanged ones.
  const ordered = items.toSorted((a, b) => Number(a.kind === 'same') - Number(b.kind === 'same'));
  return (
    <>
      {ordered.slice(0, MAX_ITEMS).map(({ text, kind }) => (
        <span key={`${kind} ${text}`} className={s.value} data-kind={kind}>
          {kind === 'added' && <Plus size={11} aria-label="added" />}
          {kind === 'removed' && <Minus size={11} aria-label="removed" />}
          {text}
        </span>
      ))}
      {ordered.length > MAX_ITEMS && <span className="muted">and {ordered.length - MAX_ITEMS} more</span>}
    </>
  );
}

function Values({ change: { path, kind, before, after } }: { change: ValueChange }) {
  return (
    <>
      {kind !== 'added' && (
        <del className={s.value} data-kind="removed">
          {wordsOf(before, path)}
        </del>
      )}
      {kind === 'changed' && (
        <span className={s.arrow} aria-hidden="true">
          →
        </span>
      )}
      {kind !== 'removed' && (
        <ins className={s.value} data-kind="added">
          {wordsOf(after, path)}
        </ins>
      )}
    </>
  );
}

/** Up to two short changes in one line, for rows of a list and for the save bar: "rollout 25 → 50 %". */
export function BriefDiff({ changes }: { changes: Change[] }) {
  const brief = briefChanges(changes);
  if (brief.length === 0) return null;
  return (
    <span className={s.brief}>
      {brief.map(change => (
        <span key={change.path.join('.')}>
          {labelOf(change.path).replace('Constraint ', '').toLowerCase()}{' '}
          {change.kind === 'items' ? (
            change.items
              .filter(item => item.kind !== 'same')
              .map(item => (
                <b key={item.kind + item.text} data-kind={item.kind}>
                  {item.kind === 'added' ? '+' : '−'}
                  {item.text}{' '}
                </b>
              ))
          ) : (
            <>
              <b data-kind="removed">{wordsOf(change.before, change.path).replace(' %', '')}</b> →{' '}
              <b data-kind="added">{wordsOf(change.after, change.path)}</b>
            </>
          )}
        </span>
      ))}
    </span>
  );
}
