import { CircleAlert, X } from 'lucide-react';
import { escapeControls } from '../ui/caller-text.ts';
import { dismiss, useToasts } from '../ui/toasts.ts';
import s from './Toasts.module.css';

/** The messages of `toast()` in a polite live region. */
export function Toasts() {
  const toasts = useToasts();
  return (
    <section className={s.toasts} aria-live="polite" aria-label="Notifications">
      {toasts.map(({ id, message, tone, action }) => (
        <div key={id} className={s.toast} data-tone={tone}>
          {tone === 'bad' && <CircleAlert size={15} aria-hidden="true" />}
          <span>{escapeControls(message)}</span>
          {action && (
            <button
              type="button"
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
          <button type="button" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <X size={14} />
          </button>
        </div>
      ))}
    </section>
  );
}
