import { Check } from 'lucide-react';
import {
  type ComponentPropsWithRef,
  cloneElement,
  createContext,
  type ElementType,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import s from './Menu.module.css';
import { cx } from './words.ts';

const CloseMenu = createContext<() => void>(() => {});

type Target = ReactElement<{
  id?: string;
  popoverTarget?: string;
  onKeyDown?(event: KeyboardEvent): void;
}>;
type Align = 'start' | 'end';

/** Below a button with less space than this, the menu opens above it. */
const SPACE = 220;
const MAX_WIDTH = 360;
const MARGIN = 4;
/** Letters that follow each other within this time are one word. */
const TYPING_MS = 500;

/** Puts the menu at its button, on the sides where it has space. */
function place(menu: HTMLElement, button: Element, align: Align): void {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const width = document.documentElement.clientWidth;
  const below = innerHeight - bottom;
  const isAbove = below < SPACE && top > below;
  const afterLeft = width - left - MARGIN;
  const beforeRight = right - MARGIN;
  const [wanted, other] = align === 'start' ? [afterLeft, beforeRight] : [beforeRight, afterLeft];
  const isStart = (align === 'start') === wanted >= Math.min(MAX_WIDTH, other);
  Object.assign(menu.style, {
    top: isAbove ? 'auto' : `${bottom + MARGIN}px`,
    bottom: isAbove ? `${innerHeight - top + MARGIN}px` : 'auto',
    left: isStart ? `${Math.max(MARGIN, left)}px` : 'auto',
    right: isStart ? 'auto' : `${Math.max(MARGIN, width - right)}px`,
    maxWidth: `${Math.min(MAX_WIDTH, isStart ? afterLeft : beforeRight)}px`,
    maxHeight: `${(isAbove ? top : below) - 3 * MARGIN}px`,
  });
}

/**
 * A button that opens a menu, as the ARIA pattern "menu button" describes it. It is hand-written because Mantine's menu would add 30 KB
 * to the first load, mostly to place it. The browser's popover keeps the menu above everything, closes it at a click elsewhere, and
 * returns the focus.
 */
export function Menu({
  target,
  field,
  align = 'end',
  keepOpen = false,
  className,
  onClose,
  children,
}: {
  /** The button. */
  target: Target;
  /** An input above the entries, for example to filter them. */
  field?: ReactNode;
  /** The edge of the button at which the menu is, if there is space. */
  align?: Align;
  /** Choosing an entry does not close the menu. */
  keepOpen?: boolean;
  className?: string | undefined;
  onClose?(): void;
  children: ReactNode;
}) {
  const id = useId();
  const targetId = `${id}-target`;
  const menu = useRef<HTMLDivElement>(null);
  const startsAtEnd = useRef(false);
  const typed = useRef({ text: '', at: 0 });
  const [isOpen, setOpen] = useState(false);
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>('input, [role^=menuitem]') ?? [])];
  const hide = () => {
    if (menu.current?.matches(':popover-open')) menu.current.hidePopover();
  };
  const close = () => {
    hide();
    // Safari does not focus a button that is clicked, so the popover has nothing to return the focus to.
    if (document.activeElement === document.body) document.getElementById(targetId)?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    const onMove = () => {
      const button = document.getElementById(targetId);
      if (menu.current && button) place(menu.current, button, align);
    };
    addEventListener('resize', onMove);
    addEventListener('scroll', onMove, { capture: true, passive: true });
    return () => {
      removeEventListener('resize', onMove);
      removeEventListener('scroll', onMove, { capture: true });
    };
  }, [isOpen, targetId, align]);

  /** The next entry that begins with the letters typed so far. If none does, the next one that begins with the last letter. */
  const findTyped = (all: readonly HTMLElement[], at: number, letter: string) => {
    const isWord = Date.now() - typed.current.at < TYPING_MS;
    const find = (text: string) => {
      typed.current = { text, at: Date.now() };
      // A word can still be that of the current entry. The same letter again goes to the one after it.
      const first = text.length === 1 ? at + 1 : Math.max(at, 0);
      return [...all.slice(first), ...all.slice(0, first)].find(one =>
        one.textContent.trim().toLowerCase().startsWith(text),
      );
    };
    return (isWord && find(typed.current.text + letter)) || find(letter);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const isInField = event.target instanceof HTMLInputElement;
    const isLetter = key.length === 1 && key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (key === 'ArrowDown') all[(at + 1) % all.length]?.focus();
    else if (key === 'ArrowUp') all.at(at <= 0 ? -1 : at - 1)?.focus();
    else if (key === 'Home' && !isInField) all[0]?.focus();
    else if (key === 'End' && !isInField) all.at(-1)?.focus();
    else if (key === 'Escape') close();
    else if (key === ' ' && event.target instanceof HTMLAnchorElement) event.target.click();
    else if (isLetter && !isInField) findTyped(all, at, key.toLowerCase())?.focus();
    else {
      // The focus returns to the button, and from there to the next control.
      if (key === 'Tab') close();
      return;
    }
    // Neither the page below the menu nor a shortcut gets the key.
    event.preventDefault();
  };
  /** Something else got the focus, such as a dialog that a shortcut opened. */
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget && !menu.current?.contains(relatedTarget)) hide();
  };
  return (
    <CloseMenu.Provider value={keepOpen ? () => {} : close}>
      {cloneElement(target, {
        id: targetId,
        popoverTarget: id,
        onKeyDown: event => {
          if (event.altKey || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
          event.preventDefault();
          startsAtEnd.current = event.key === 'ArrowUp';
          menu.current?.showPopover();
        },
        ...{ 'aria-haspopup': 'menu', 'aria-expanded': isOpen },
      })}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the field and the menu in it have the focus */}
      <div
        ref={menu}
        id={id}
        popover="auto"
        className={cx(s.menu, className)}
        onBeforeToggle={({ newState }) => {
          setOpen(newState === 'open');
          const button = document.getElementById(targetId);
          if (newState === 'open' && menu.current && button) place(menu.current, button, align);
        }}
        onToggle={({ newState }) => {
          if (newState !== 'open') onClose?.();
          else if (startsAtEnd.current) items().at(-1)?.focus();
          else items()[0]?.focus({ preventScroll: true });
          startsAtEnd.current = false;
        }}
        onKeyDown={onKeyDown}
        onBlur={onBlur}
      >
        {isOpen && field}
        <div role="menu" aria-labelledby={isOpen ? targetId : undefined}>
          {isOpen && children}
        </div>
      </div>
    </CloseMenu.Provider>
  );
}

type ItemProps<As extends ElementType> = ComponentPropsWithRef<As> & {
  /** A link instead of a button: `as="a"`, or `as={Link}`. */
  as?: As;
  /** For an entry that is checked or not. */
  checked?: boolean;
  danger?: boolean;
};

/** An entry of a `Menu`. */
export function MenuItem<As extends ElementType = 'button'>({
  as,
  checked,
  danger,
  children,
  onClick,
  ...props
}: ItemProps<As>) {
  const close = useContext(CloseMenu);
  const Element: ElementType = as ?? 'button';
  const isDisabled = props['aria-disabled'] === true;
  return (
    <Element
      {...(as === undefined && { type: 'button' })}
      role={checked === undefined ? 'menuitem' : 'menuitemcheckbox'}
      aria-checked={checked}
      tabIndex={-1}
      className={s.item}
      data-danger={danger || undefined}
      // Otherwise Esc would also close a Mantine dialog that the menu is in.
      data-mantine-stop-propagation="true"
      {...props}
      onClick={(event: MouseEvent) => {
        // First, so that a dialog which the entry opens returns the focus to the button of the menu.
        if (!isDisabled) close();
        onClick?.(event);
      }}
    >
      {checked !== undefined && (
        <span className={s.check}>{checked && <Check size={14} aria-hidden="true" />}</span>
      )}
      {children}
    </Element>
  );
}
