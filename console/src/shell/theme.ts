import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
} from '@mantine/core'

/** The accent: white text on shade 8 and black text on shade 4 have a contrast of more than 7. */
const green: MantineColorsTuple = [
  '#eaf6f0',
  '#d5ece1',
  '#a8d9c3',
  '#7fd4af',
  '#5fd0a0',
  '#2f9c70',
  '#1b8059',
  '#126f4e',
  '#0c6247',
  '#084a35',
]

const gray: MantineColorsTuple = [
  '#faf9f6',
  '#f2f0eb',
  '#e8e5dd',
  '#dcd9d0',
  '#c6c3b9',
  '#8d9087',
  '#6b6f67',
  '#565a53',
  '#383b36',
  '#1b1d1a',
]

const dark: MantineColorsTuple = [
  '#eef0ea',
  '#c6cac1',
  '#a6aba1',
  '#7d8379',
  '#3b4138',
  '#2f352d',
  '#242922',
  '#1a1d19',
  '#131512',
  '#0d0f0c',
]

export const theme = createTheme({
  primaryColor: 'green',
  primaryShade: { light: 8, dark: 4 },
  // Filled buttons are dark on a light page and light on a dark one, and their text the other way round.
  variantColorResolver(input) {
    const colors = defaultVariantColorsResolver(input)
    return input.variant === 'filled' ? { ...colors, color: 'var(--filled-text)' } : colors
  },
  black: '#1b1d1a',
  colors: { green, gray, dark },
  defaultRadius: 'md',
  radius: { md: '10px', lg: '16px' },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Devanagari", sans-serif',
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.625rem', lineHeight: '1.25' },
      h2: { fontSize: '1.125rem', lineHeight: '1.35' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // A finger needs 44 pixels.
    Button: { defaultProps: { size: 'md', loaderProps: { size: 14 } } },
    TextInput: { defaultProps: { size: 'md' } },
    PasswordInput: { defaultProps: { size: 'md' } },
    NativeSelect: { defaultProps: { size: 'md' } },
    // Otherwise a second banner of the page.
    ModalHeader: { defaultProps: { role: 'none' } },
    Modal: {
      defaultProps: { centered: true, radius: 'lg', overlayProps: { backgroundOpacity: 0.4 } },
      styles: { title: { fontSize: '1.125rem', fontWeight: 650, lineHeight: 1.35 } },
    },
  },
})

/** Colours that Mantine has no name for, and texts that need more contrast than its own. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--page': '#f6f5f1',
    '--filled-text': '#ffffff',
    '--line': '#e4e1d8',
    '--wash': '#f2f0eb',
    '--accent-text': '#0c6247',
    '--accent-wash': '#e6f2ec',
    '--warn-text': '#7a4d00',
    '--warn-wash': '#fff4d9',
    '--bad-text': '#9c2419',
    '--bad-wash': '#fcebe8',
    '--mantine-color-dimmed': '#5a5e57',
    '--mantine-color-placeholder': '#6b6f67',
    '--mantine-color-error': '#9c2419',
    '--mantine-color-anchor': '#0c6247',
  },
  dark: {
    '--page': '#111310',
    '--filled-text': '#05261a',
    '--line': '#2c312a',
    '--wash': '#22261f',
    '--accent-text': '#7fd4af',
    '--accent-wash': '#17301f',
    '--warn-text': '#f1c66c',
    '--warn-wash': '#2b2210',
    '--bad-text': '#ff9d90',
    '--bad-wash': '#3a1b17',
    '--mantine-color-dimmed': '#a6aba1',
    '--mantine-color-placeholder': '#8f958b',
    '--mantine-color-error': '#ff9d90',
    '--mantine-color-anchor': '#7fd4af',
  },
})
