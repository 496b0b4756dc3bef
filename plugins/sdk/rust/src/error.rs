use std::fmt;

/// Error is why the host did not carry out a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// There is none. Functions for which that is normal return None or false instead.
    NotFound,
    /// An argument is malformed.
    BadArgument,
    /// The grant does not allow it.
    Denied,
    /// It exceeds what the grant or the interface allows.
    Quota,
    /// It is not available now.
    Unavailable,
    /// It is not allowed at this time, such as in configure.
    WrongPhase,
}

impl Error {
    pub(crate) fn of(status: i32) -> Error {
        match status {
            -1 => Error::NotFound,
            -2 => Error::BadArgument,
            -3 => Error::Denied,
            -4 => Error::Quota,
            -6 => Error::WrongPhase,
            _ => Error::Unavailable,
        }
    }

    /// status returns the number in the reference, for the fake host.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn status(self) -> i32 {
        match self {
            Error::NotFound => -1,
            Error::BadArgument => -2,
            Error::Denied => -3,
            Error::Quota => -4,
            Error::Unavailable => -5,
            Error::WrongPhase => -6,
        }
    }

    /// check returns a result that is not negative, or the error.
    pub(crate) fn check(result: i32) -> Result<u32, Error> {
        if result < 0 {
            return Err(Error::of(result));
        }
        Ok(result as u32)
    }
}

/// The texts of the reference.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Error::NotFound => "not found",
            Error::BadArgument => "bad argument",
            Error::Denied => "denied",
            Error::Quota => "quota",
            Error::Unavailable => "unavailable",
            Error::WrongPhase => "wrong phase",
        })
    }
}

impl std::error::Error for Error {}
