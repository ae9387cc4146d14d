import { useMediaQuery } from '@mantine/hooks'

/** Whether the screen is narrower than 48em, as in the style sheets. */
export function useIsPhone(): boolean {
  return useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
}
