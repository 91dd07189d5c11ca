import { Kbd, Modal } from '@mantine/core';
import { keysOf, useActiveShortcuts } from '../ui/shortcuts.ts';
import s from './Help.module.css';

/** The shortcuts of the current page. */
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
      <dl className={s.keys}>
        {unique.map(({ keys, description }) => (
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
      <p className="muted">Single letters work outside input fields. You can disable them in your profile.</p>
    </Modal>
  );
}
