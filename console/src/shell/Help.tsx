import { Kbd, Modal } from '@mantine/core';
import { toKeyLabels, useActiveShortcuts } from '../ui/shortcuts.ts';
import s from './Help.module.css';

/** The most common shortcuts of all pages. `useShortcuts` registers them only where they work. */
const COMMON_SHORTCUTS = [
  { keys: 'n', description: 'New flag, project or integration (lists)' },
  { keys: 'j', description: 'Next row (lists)' },
  { keys: 'k', description: 'Previous row (lists)' },
  { keys: 'x', description: 'Select the row (flags)' },
  { keys: 's', description: 'Add to or remove from favorites (flags, projects)' },
  { keys: '1', description: 'Toggle in the first environment (flags)' },
  { keys: 'c', description: 'Copy page URL (events, deliveries)' },
  { keys: 'r', description: 'Redeliver (deliveries)' },
  { keys: 'mod+s', description: 'Save (editors)' },
];

/** Lists the current page's shortcuts, then those of other pages. */
export function Help({ onClose }: { onClose(): void }) {
  const shortcuts = useActiveShortcuts();
  const pageShortcuts = [...new Map(shortcuts.map(shortcut => [shortcut.keys, shortcut])).values()];
  return (
    <Modal
      opened
      onClose={onClose}
      title="Keyboard shortcuts"
      size={480}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <KeyList shortcuts={pageShortcuts} />
      <h3 className={s.other}>On other pages</h3>
      <KeyList
        shortcuts={COMMON_SHORTCUTS.filter(
          ({ keys }) => !pageShortcuts.some(shortcut => shortcut.keys === keys),
        )}
      />
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
            {toKeyLabels(keys).map(key => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
