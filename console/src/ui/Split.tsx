import { ActionIcon } from '@mantine/core';
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { CopyLink } from './Copy.tsx';
import s from './Split.module.css';
import { useShortcuts } from './shortcuts.ts';
import { Tooltip } from './Tooltip.tsx';

/** Moves the focus to the details of the selected row, if the page shows them. */
export const focusDetail = (): void =>
  document.querySelector<HTMLElement>(`.${s.split} > .${s.detail} > .${s.body}`)?.focus();

/** A list on the left and the selected row on the right. On a narrow screen, the detail covers the list. */
export function Split({
  list,
  detail,
  wide,
  narrow,
}: {
  list: ReactNode;
  detail?: ReactNode;
  wide?: boolean;
  /** For details with short lines, which leave more space for the list. */
  narrow?: boolean;
}) {
  return (
    <div
      className={s.split}
      data-detail={detail ? '' : undefined}
      data-wide={wide || undefined}
      data-narrow={narrow || undefined}
    >
      <div className={s.list}>{list}</div>
      {detail}
    </div>
  );
}

/** The right side of a Split. A bar above the content shows the position and the buttons. Esc closes the details. */
export function Detail({
  label,
  bar,
  heading,
  link,
  onNewer,
  onOlder,
  onClose,
  children,
}: {
  /** The name of the region, such as "Event 79". */
  label: string;
  bar: ReactNode;
  /** Whether the label is also shown as a heading. */
  heading?: boolean;
  /** The path to copy, such as /events/79. */
  link?: string;
  onNewer?(): void;
  onOlder?(): void;
  onClose?(): void;
  children: ReactNode;
}) {
  const region = useRef<HTMLElement>(null);
  /** Closes the details. If the focus was inside them, it moves to the list. */
  const close =
    onClose &&
    (() => {
      const list = region.current?.parentElement?.querySelector<HTMLElement>('[role=table], [role=listbox]');
      if (region.current?.contains(document.activeElement)) list?.focus();
      onClose();
    });
  useShortcuts([close && { keys: 'Escape', description: 'Close the details', run: close }]);
  return (
    <aside ref={region} className={s.detail} aria-label={label}>
      <div className={s.bar}>
        {bar}
        <span className={s.buttons}>
          {onNewer && <BarButton label="Newer" keys="K" icon={<ChevronUp size={16} />} onClick={onNewer} />}
          {onOlder && <BarButton label="Older" keys="J" icon={<ChevronDown size={16} />} onClick={onOlder} />}
          {link !== undefined && <CopyLink path={link} />}
          {close && <BarButton label="Close" keys="Esc" icon={<X size={16} />} onClick={close} />}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={s.body} tabIndex={0} aria-label={`Details of ${label}`}>
        {heading && <h2 className={s.heading}>{label}</h2>}
        {children}
      </section>
    </aside>
  );
}

function BarButton({
  label,
  keys,
  icon,
  onClick,
}: {
  label: string;
  keys: string;
  icon: ReactNode;
  onClick(): void;
}) {
  return (
    <Tooltip label={`${label}  ${keys}`}>
      <ActionIcon aria-label={label} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
