/** The sign of the product. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" class="mark">
      <rect width="32" height="32" rx="7" />
      <path d="M6 8c5 0 7 8 13 8h7M6 24c5 0 7-8 13-8M6 16h13" />
    </svg>
  );
}
