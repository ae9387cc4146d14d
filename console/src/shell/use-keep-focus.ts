import { useEffect } from 'react'

/**
 * Gives the focus back when what had it is gone: to what opened a dialog, and to the title of the page where that is gone
 * too, as the button of a request that is decided. Otherwise the next press of Tab would begin at the top.
 */
export function useKeepFocus(): void {
  useEffect(() => {
    let last: HTMLElement | null = null
    const remember = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement && target.closest('[role=dialog]') === null) last = target
    }
    const giveBack = () => {
      const isLost = document.activeElement === null || document.activeElement === document.body
      if (last === null || !isLost || document.querySelector('[role=dialog]') !== null) return
      // Beside a list, the title of what was chosen from it is the second.
      const titles = [...document.querySelectorAll<HTMLElement>('[data-page-title]')]
      const to = last.isConnected ? last : titles.at(-1)
      to?.focus({ preventScroll: true })
    }
    const removals = new MutationObserver(giveBack)
    document.addEventListener('focusin', remember)
    removals.observe(document.body, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', remember)
      removals.disconnect()
    }
  }, [])
}
