// Dialogs have a script of their own, because no page needs it before somebody opens one. See Dialog.tsx.
export { Drawer, Modal } from '@mantine/core';
