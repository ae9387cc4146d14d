import { type Html, trusted } from './html.ts'

function icon(paths: string): Html {
  return trusted(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${paths}</svg>`)
}

export const ICONS = {
  wallet: icon(
    '<path d="M4 7.5A2.5 2.5 0 0 1 6.5 5H17a2 2 0 0 1 2 2v1"/><path d="M4 7.5v9A2.5 2.5 0 0 0 6.5 19H18a2 2 0 0 0 2-2v-7a2 2 0 0 0-2-2H4.6"/><circle cx="16" cy="13.5" r="1.1"/>',
  ),
  upi: icon(
    '<rect x="4" y="4" width="6" height="6" rx="1"/><rect x="14" y="4" width="6" height="6" rx="1"/><rect x="4" y="14" width="6" height="6" rx="1"/><path d="M14 14h2.5v2.5H14zM20 14v2M17.5 20H20v-1.5M14 20v-1"/>',
  ),
  card: icon('<rect x="3" y="5.5" width="18" height="13" rx="2.5"/><path d="M3 10h18M7 15h3"/>'),
  bank: icon('<path d="m4 9.5 8-5 8 5zM6 10v7M10 10v7M14 10v7M18 10v7M4 19.5h16"/>'),
  lock: icon(
    '<rect x="5" y="10.5" width="14" height="9.5" rx="2.5"/><path d="M8 10.5V8a4 4 0 0 1 8 0v2.5M12 14v2.5"/>',
  ),
  clock: icon('<circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V12l3 2"/>'),
  check: icon('<path d="m5 12.5 4.5 4.5L19 7.5"/>'),
  cross: icon('<path d="m7 7 10 10M17 7 7 17"/>'),
  back: icon('<path d="M9 7 5 11l4 4"/><path d="M5 11h9a5 5 0 0 1 0 10h-1"/>'),
  alert: icon('<circle cx="12" cy="12" r="8.5"/><path d="M12 8v4.5M12 15.8v.2"/>'),
  search: icon('<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4 4"/>'),
} as const
