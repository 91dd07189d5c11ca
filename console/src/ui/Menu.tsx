import { Check } from 'lucide-react';
import {
  type ComponentPropsWithRef,
  cloneElement,
  createContext,
  type ElementType,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  useContext,
  useId,
  useRef,
  useState,
} from 'react';
import s from './Menu.module.css';
import { cx } from './words.ts';

const CloseMenu = createContext<() => void>(() => {});

type Target = ReactElement<{ id?: string; popoverTarget?: string }>;

/** Below a button with less space than this, the menu opens above it. */
const SPACE = 220;

/**
 * A button that opens a menu. The browser's popover keeps the menu above everything, closes it at a click elsewhere, and returns
 * the focus. Mantine's menu would add 30 KB to the first load.
 */
export function Menu({
  target,
  align = 'end',
  keepOpen = false,
  className,
  onClose,
  children,
}: {
  /** The button. */
  target: Target;
  /** The edge of the button at which the menu is. */
  align?: 'start' | 'end';
  /** Choosing an entry does not close the menu. */
  keepOpen?: boolean;
  className?: string | undefined;
  onClose?(): void;
  children: ReactNode;
}) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => menu.current?.hidePopover();
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>('input, [role^=menuitem]') ?? [])];
  const place = () => {
    const button = document.getElementById(`${id}-target`)?.getBoundingClientRect();
    if (!menu.current || !button) return;
    const isAbove = innerHeight - button.bottom < SPACE && button.top > innerHeight - button.bottom;
    Object.assign(menu.current.style, {
      top: isAbove ? 'auto' : `${button.bottom + 4}px`,
      bottom: isAbove ? `${innerHeight - button.top + 4}px` : 'auto',
      left: align === 'start' ? `${button.left}px` : 'auto',
      right:
        align === 'end' ? `${Math.max(4, document.documentElement.clientWidth - button.right)}px` : 'auto',
      maxHeight: `${(isAbove ? button.top : innerHeight - button.bottom) - 12}px`,
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = {
      ArrowDown: all[(at + 1) % all.length],
      ArrowUp: all.at(at <= 0 ? -1 : at - 1),
      Home: all[0],
      End: all.at(-1),
    }[event.key];
    const isTyping =
      event.target instanceof HTMLInputElement && (event.key === 'Home' || event.key === 'End');
    if (next && !isTyping) {
      event.preventDefault();
      next.focus();
    } else if (event.key === 'Escape') {
      // Only the menu closes, not what is below it.
      event.preventDefault();
      close();
    } else if (event.key === 'Tab') close();
  };
  return (
    <CloseMenu.Provider value={keepOpen ? () => {} : close}>
      {cloneElement(target, {
        id: `${id}-target`,
        popoverTarget: id,
        ...{ 'aria-haspopup': 'menu', 'aria-expanded': isOpen },
      })}
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        aria-labelledby={isOpen ? `${id}-target` : undefined}
        className={cx(s.menu, className)}
        onBeforeToggle={({ newState }) => {
          setOpen(newState === 'open');
          if (newState === 'open') place();
        }}
        onToggle={({ newState }) => {
          if (newState === 'open') items()[0]?.focus({ preventScroll: true });
          else onClose?.();
        }}
        onKeyDown={onKeyDown}
      >
        {isOpen && children}
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
