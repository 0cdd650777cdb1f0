// Who would leave the page is asked, since what is begun may be lost; not who leaves to sign in, and comes back to it.

let isForAWhile = false;

// The browser may have kept the page as it was.
window.addEventListener('pageshow', () => setLeaving(false));

export const setLeaving = (isSo: boolean) => {
  isForAWhile = isSo;
};

export const isLeaving = (): boolean => isForAWhile;
