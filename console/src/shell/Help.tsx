import { Kbd, Modal } from '@mantine/core';
import { keysOf, useActiveShortcuts } from '../ui/shortcuts.ts';
import s from './Help.module.css';

/** The most used shortcuts of all pages. `useShortcuts` registers them only where they work. */
const ELSEWHERE = [
  { keys: 'n', description: 'New flag or project (lists)' },
  { keys: 'j', description: 'Next row (lists)' },
  { keys: 'k', description: 'Previous row (lists)' },
  { keys: 'x', description: 'Select the row (flags)' },
  { keys: 's', description: 'Add to the favorites, or remove (flags, projects)' },
  { keys: '1', description: 'Toggle in the first environment (flags)' },
  { keys: 'c', description: 'Copy link (events, deliveries)' },
  { keys: 'r', description: 'Redeliver (deliveries)' },
  { keys: 'mod+s', description: 'Save (editors)' },
];

/** The shortcuts of the current page, then those of other pages. */
export function Help({ onClose }: { onClose(): void }) {
  const shortcuts = useActiveShortcuts();
  const unique = [...new Map(shortcuts.map(one => [one.keys, one])).values()];
  return (
    <Modal
      opened
      onClose={onClose}
      title="Keyboard shortcuts"
      size={480}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <KeyList shortcuts={unique} />
      <h3 className={s.other}>On other pages</h3>
      <KeyList shortcuts={ELSEWHERE.filter(({ keys }) => !unique.some(one => one.keys === keys))} />
      <p className="muted">Single letters work outside input fields. You can disable them in your profile.</p>
    </Modal>
  );
}

function KeyList({ shortcuts }: { shortcuts: readonly { keys: string; description: string }[] }) {
  return (
    <dl className={s.keys}>
      {shortcuts.map(({ keys, description }) => (
        <div key={keys}>
          <dt>{description}</dt>
          <dd>
            {keysOf(keys).map(key => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
