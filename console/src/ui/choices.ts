// Fields with a list of choices have a separate script and styles, because they are large. See Choices.tsx.
import '@mantine/core/styles/Combobox.layer.css';
import '@mantine/core/styles/Pill.layer.css';
import '@mantine/core/styles/PillsInput.layer.css';
import '@mantine/core/styles/Popover.layer.css';

export { MultiSelect, Select } from '@mantine/core';
