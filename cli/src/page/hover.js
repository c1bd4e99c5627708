// Shows the values of the point under the pointer, and opens the tables for printing.
(() => {
  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.hidden = true;
  tip.setAttribute('aria-hidden', 'true');
  document.body.append(tip);
  addEventListener('pointerover', event => {
    const point = event.target.closest('[data-tip]');
    tip.hidden = !point;
    if (!point) return;
    tip.textContent = point.dataset.tip;
    const at = point.getBoundingClientRect(), size = tip.getBoundingClientRect();
    const left = Math.min(at.left + at.width / 2 + 8, innerWidth - size.width - 8);
    const top = at.top - size.height - 4;
    tip.style.left = Math.max(8, left) + 'px';
    tip.style.top = (top < 8 ? at.bottom + 4 : top) + 'px';
  });
  addEventListener('scroll', () => { tip.hidden = true; }, { passive: true });
  addEventListener('beforeprint', () => document.querySelectorAll('details').forEach(d => { d.open = true; }));
})();
