import { createTheme, type MantineColorsTuple } from '@mantine/core';

// tokens.css defines the colors of the console. Mantine derives the states of its components from these scales.
const halyard: MantineColorsTuple = [
  '#edf2fe',
  '#dbe5fd',
  '#b8cbfa',
  '#8fadf6',
  '#6c90f1',
  '#4a75ea',
  '#2b57d9',
  '#2450c8',
  '#1d41a6',
  '#163383',
];
const dark: MantineColorsTuple = [
  '#e8ecf2',
  '#c3ccd8',
  '#a9b4c3',
  '#8995a6',
  '#4a5566',
  '#323c4a',
  '#212833',
  '#171c25',
  '#11151c',
  '#0b0e13',
];
const gray: MantineColorsTuple = [
  '#f6f7f9',
  '#f0f2f5',
  '#e6e9ee',
  '#d3d9e1',
  '#b8c0cc',
  '#98a2b0',
  '#7c8796',
  '#626d7c',
  '#475261',
  '#11151b',
];

/** The header of a dialog must not be a landmark, because a dialog over a panel would add a second landmark to the page. */
const NO_LANDMARK = { header: { role: 'none' } };

export const theme = createTheme({
  primaryColor: 'halyard',
  primaryShade: { light: 6, dark: 6 },
  colors: { halyard, dark, gray },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: 'var(--h-mono)',
  fontSizes: { xs: '12px', sm: '13px', md: '13px', lg: '15px', xl: '18px' },
  lineHeights: { xs: '16px', sm: '20px', md: '20px', lg: '24px', xl: '28px' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '10px', xl: '14px' },
  defaultRadius: 'sm',
  spacing: { xs: '6px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  // Components are configured by name, because X.extend() pulls every component into the first load.
  components: {
    Button: { defaultProps: { size: 'xs', variant: 'default' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 28 } },
    TextInput: { defaultProps: { size: 'xs' } },
    PasswordInput: { defaultProps: { size: 'xs' } },
    NumberInput: { defaultProps: { size: 'xs' } },
    Textarea: { defaultProps: { size: 'xs' } },
    NativeSelect: { defaultProps: { size: 'xs' } },
    Select: { defaultProps: { size: 'xs', checkIconPosition: 'right' } },
    MultiSelect: { defaultProps: { size: 'xs' } },
    PillsInput: { defaultProps: { size: 'xs' } },
    Checkbox: { defaultProps: { size: 'xs' } },
    SegmentedControl: { defaultProps: { size: 'xs' } },
    // Locking the scroll position adds a style element, which the content security policy rejects.
    Modal: { defaultProps: { lockScroll: false, radius: 'lg', padding: 20, attributes: NO_LANDMARK } },
    Drawer: { defaultProps: { lockScroll: false, attributes: NO_LANDMARK } },
    Spotlight: { defaultProps: { lockScroll: false } },
    Kbd: { defaultProps: { size: 'xs' } },
  },
});
