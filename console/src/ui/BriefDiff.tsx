import { quoteText } from './caller-text.ts';
import { type Change, describePath, formatValue, pickBriefChanges } from './diff.ts';
import s from './FieldDiff.module.css';

/** Up to two short changes on one line, such as "rollout 25 → 50 %", for list rows and the save bar. */
export function BriefDiff({ changes }: { changes: Change[] }) {
  const briefChanges = pickBriefChanges(changes);
  if (briefChanges.length === 0) return null;
  return (
    <span className={s.brief}>
      {briefChanges.map(change => (
        <span key={change.path.join('.')}>
          {describePath(change.path).replace('Constraint ', '').toLowerCase()}{' '}
          {change.kind === 'items' ? (
            change.items
              .filter(item => item.kind !== 'same')
              .map(item => (
                <b key={item.kind + item.text} data-kind={item.kind}>
                  {item.kind === 'added' ? '+' : '−'}
                  {quoteText(item.text)}{' '}
                </b>
              ))
          ) : (
            <>
              <b data-kind="removed">{formatValue(change.before, change.path).replace(' %', '')}</b> →{' '}
              <b data-kind="added">{formatValue(change.after, change.path)}</b>
            </>
          )}
        </span>
      ))}
    </span>
  );
}
